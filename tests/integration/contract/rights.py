"""Table of rights: the status with which each operation's example is answered, in its scene, by caller.

``nobody`` sends no access token; ``expired`` and ``revoked`` are tokens of the owner, and ``suspended`` is the owner
while suspended. ``outsider`` and ``stranger`` are one who has to do with nothing there, at a private table and at one
as the scene has it; ``blocked`` is one whom everybody there has blocked. ``player`` is another player at the table. For
the ``owner`` the scene was made: an account's own things, the player to move, the maker of a table, or anybody where no
token is needed. A dash: there is no such caller.
"""

from __future__ import annotations

_TABLE = """
                        nobody    expired   revoked   suspended outsider  stranger  blocked   player    owner
askForCode              202       202       202       202       -         202       202       -         202
createToken             201       201       201       201       -         201       201       -         201
listTokens              401       401       401       403       -         200       200       -         200
revokeToken             401       401       401       403       -         404       404       -         204
getMe                   401       401       401       403       -         200       200       -         200
changeMe                401       401       401       403       -         200       200       -         200
deleteMe                401       401       401       403       -         204       204       -         204
confirmEmail            401       401       401       403       -         403       403       -         200
getQuietTimes           401       401       401       403       -         200       200       -         200
setQuietTimes           401       401       401       403       -         200       200       -         200
listAbsences            401       401       401       403       -         200       200       -         200
announceAbsence         401       401       401       403       -         201       201       -         201
comeBack                401       401       401       403       -         200       200       -         200
getPlayer               200       401       401       403       -         200       200       -         200
exportOwnGames          401       401       401       403       200       200       200       200       200
exportGamesOfPlayer     200       401       401       403       -         200       200       -         200
exportOwnMoves          401       401       401       403       200       200       200       200       200
exportMovesOfPlayer     200       401       401       403       -         200       200       -         200
listGamesOfPlayer       200       401       401       403       -         200       200       -         200
listBlockedPlayers      401       401       401       403       -         200       200       -         200
blockPlayer             401       401       401       403       -         204       204       -         204
unblockPlayer           401       401       401       403       -         204       204       -         204
getNotifications        401       401       401       403       -         200       200       -         200
changeNotifications     401       401       401       403       -         200       200       -         200
getGameNotifications    401       401       401       403       404       403       403       200       200
changeGameNotifications 401       401       401       403       404       403       403       200       200
getCalendar             401       401       401       403       -         200       200       -         200
renewCalendar           401       401       401       403       -         200       200       -         200
listDeliveries          401       401       401       403       -         200       200       -         200
listGames               200       401       401       403       200       200       200       200       200
createGame              401       401       401       403       -         201       201       -         201
getGame                 200       401       401       403       404       200       200       200       200
closeGame               401       401       401       403       404       403       403       403       204
joinGame                401       401       401       403       404       201       409       409       201
setEntropy              401       401       401       403       404       403       403       200       200
leaveGame               401       401       401       403       404       403       403       204       204
putPlayerOut            401       401       401       403       404       403       403       403       204
listInvitations         401       401       401       403       404       404       404       403       200
getInvitation           401       401       401       403       404       404       404       403       200
invite                  401       401       401       403       404       404       404       403       201
takeInvitationBack      401       401       401       403       404       404       404       403       204
listInvitationLinks     401       401       401       403       404       404       404       403       200
getInvitationLink       401       401       401       403       404       404       404       403       200
makeInvitationLink      401       401       401       403       404       404       404       403       201
revokeInvitationLink    401       401       401       403       404       404       404       403       204
getLinkedTable          200       200       200       200       -         200       200       -         200
listReceivedInvitations 401       401       401       403       -         200       200       -         200
declineInvitation       204       401       401       403       204       204       204       204       204
askForRematch           401       401       401       403       404       403       403       201       201
listMoves               200       401       401       403       404       200       200       200       200
getMove                 200       401       401       403       404       200       200       200       200
makeMove                401       401       401       403       404       403       403       422       201
getMoveFeed             200       200       200       200       404       200       200       200       200
listLegalMoves          200       401       401       403       404       200       200       200       200
listGameCheckpoints     200       401       401       403       404       200       200       200       200
getProof                200       401       401       403       404       200       200       200       200
getProofBundle          200       401       401       403       404       200       200       200       200
listGoals               200       401       401       403       404       200       200       200       200
getRecord               200       401       401       403       404       200       200       200       200
offerTime               401       401       401       403       404       403       403       403       200
keepGame                401       401       401       403       404       403       403       200       200
takeSeatBack            401       401       401       403       404       403       403       409       200
listMessages            200       401       401       403       404       200       200       200       200
say                     401       401       401       403       404       403       403       201       201
listNotes               401       401       401       403       404       403       403       200       200
getNote                 401       401       401       403       404       403       403       404       200
writeNote               401       401       401       403       404       403       403       201       201
deleteNote              401       401       401       403       404       403       403       404       204
listSoloNotes           401       401       401       403       404       404       404       -         200
getSoloNote             401       401       401       403       404       404       404       -         200
writeSoloNote           401       401       401       403       404       404       404       -         201
deleteSoloNote          401       401       401       403       404       404       404       -         204
listSoloSessions        401       401       401       403       200       200       200       -         200
createSoloSession       401       401       401       403       -         201       201       -         201
getSoloSession          404       401       401       403       404       404       404       -         200
closeSoloSession        401       401       401       403       404       404       404       -         204
startSoloSession        401       401       401       403       404       404       404       -         200
keepSoloSession         401       401       401       403       404       404       404       -         200
listSoloMoves           404       401       401       403       404       404       404       -         200
getSoloMove             404       401       401       403       404       404       404       -         200
makeSoloMove            401       401       401       403       404       404       404       -         201
listSoloLegalMoves      404       401       401       403       404       404       404       -         200
listSoloCheckpoints     404       401       401       403       404       404       404       -         200
getSoloProof            404       401       401       403       404       404       404       -         200
getSoloProofBundle      404       401       401       403       404       404       404       -         200
listSoloGoals           404       401       401       403       404       404       404       -         200
getSoloRecord           404       401       401       403       404       404       404       -         200
listEvents              401       401       401       403       -         200       200       -         200
listGameEvents          200       401       401       403       404       200       200       200       200
listSoloSessionEvents   404       401       401       403       404       404       404       -         200
getBoardSvg             200       401       401       403       404       200       200       200       200
getBoardPng             200       401       401       403       404       200       200       200       200
getSoloBoardSvg         404       401       401       403       404       404       404       -         200
getSoloBoardPng         404       401       401       403       404       404       404       -         200
getStory                200       401       401       403       404       200       200       200       200
getStoryPlots           200       401       401       403       404       200       200       200       200
getSoloStory            200       401       401       403       200       200       200       -         200
getSoloStoryPlots       200       401       401       403       200       200       200       -         200
getMovesCsv             200       401       401       403       404       200       200       200       200
getSoloMovesCsv         404       401       401       403       404       404       404       -         200
listCheckpointLogs      200       200       200       200       -         200       200       -         200
listCheckpoints         200       200       200       200       -         200       200       -         200
getNewestCheckpoint     200       200       200       200       -         200       200       -         200
getCheckpoint           200       200       200       200       -         200       200       -         200
getTile                 200       200       200       200       -         200       200       -         200
getEntries              200       200       200       200       -         200       200       -         200
getConsistency          200       200       200       200       -         200       200       -         200
listImports             401       401       401       403       -         200       200       -         200
exploreGame             401       401       401       403       404       201       201       201       201
exploreSolo             401       401       401       403       201       201       201       -         201
listExplorations        401       401       401       403       -         200       200       -         200
exportExplorations      401       401       401       403       -         200       200       -         200
getExploration          401       401       401       403       -         404       404       -         200
deleteExploration       401       401       401       403       -         404       404       -         204
listExplorationLegalMoves 401       401       401       403       -         404       404       -         200
getExplorationRecord    401       401       401       403       -         404       404       -         200
makeExplorationMove     401       401       401       403       -         404       404       -         201
listExplorationMoves    401       401       401       403       -         404       404       -         200
takeBackExplorationMove 401       401       401       403       -         404       404       -         200
getExplorationBoardSvg  401       401       401       403       -         404       404       -         200
getExplorationBoardPng  401       401       401       403       -         404       404       -         200
listExplorationGoals    401       401       401       403       -         404       404       -         200
getExplorationMove      401       401       401       403       -         404       404       -         200
getExplorationMovesCsv  401       401       401       403       -         404       404       -         200
getExplorationStory     401       401       401       403       -         404       404       -         200
getExplorationStoryPlots 401       401       401       403       -         404       404       -         200
importGame              401       401       401       403       -         201       201       -         201
getImport               404       401       401       403       -         404       404       -         200
changeImport            401       401       401       403       -         404       404       -         200
deleteImport            401       401       401       403       -         404       404       -         204
getImportedRecord       404       401       401       403       -         404       404       -         200
getImportedBoard        404       401       401       403       -         404       404       -         200
getImportedStory        404       401       401       403       -         404       404       -         200
getImportedStoryPlots   404       401       401       403       -         404       404       -         200
listImportedGoals       404       401       401       403       -         404       404       -         200
getImportedMovesCsv     404       401       401       403       -         404       404       -         200
getImportedBoardPng     404       401       401       403       -         404       404       -         200
listImportedMoves       404       401       401       403       -         404       404       -         200
getImportedMove         404       401       401       403       -         404       404       -         200
listImportedLegalMoves  404       401       401       403       -         404       404       -         200
listTiles               200       200       200       200       -         200       200       -         200
getRules                200       200       200       200       -         200       200       -         200
getRulesOfVersion       200       200       200       200       -         200       200       -         200
getHealth               200       200       200       200       -         200       200       -         200
getReadiness            200       200       200       200       -         200       200       -         200
getWebReadiness         200       200       200       200       -         200       200       -         200
"""

_HEAD, *_ROWS = (line.split() for line in _TABLE.strip().splitlines())

CALLERS = tuple(_HEAD)
"""The callers, in the order in which they call."""

RIGHTS = {
    operation: dict(zip(CALLERS, (None if status == "-" else int(status) for status in statuses), strict=True))
    for operation, *statuses in _ROWS
}
"""The statuses by operation and caller; None where there is no such caller."""

assert len(RIGHTS) == len(_ROWS), "an operation has one row"
