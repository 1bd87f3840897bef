// Judge notes, trees and tiles with the library of Go's checksum database (golang.org/x/mod/sumdb), and make some.
// Standard input has a JSON object, standard output gets one; see test_go_agrees.py.
package main

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

type given struct {
	Vkey    string
	Notes   []string
	Skey    string
	Text    string
	Entries []string
	Proofs  []proof
	Tiles   []tile
}

type proof struct {
	Old, Index, Size int64
	Path             []string
}

type tile struct {
	Level, Width int
	Number       int64
}

type found struct {
	Opened   []string // the text of each note, or why it is refused
	Signed   string
	Roots    map[int64]string
	Proved   []string // "" or why a proof is refused
	TilePath []string
	TileData []string
}

type store []tlog.Hash

func (s store) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	var hashes []tlog.Hash
	for _, index := range indexes {
		hashes = append(hashes, s[index])
	}
	return hashes, nil
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	var asked given
	must(json.NewDecoder(os.Stdin).Decode(&asked))
	answer := found{Roots: map[int64]string{}}
	verifier, err := note.NewVerifier(asked.Vkey)
	must(err)
	for _, text := range asked.Notes {
		opened, err := note.Open([]byte(text), note.VerifierList(verifier))
		if err != nil {
			answer.Opened = append(answer.Opened, "refused: "+err.Error())
		} else {
			answer.Opened = append(answer.Opened, opened.Text)
		}
	}
	signer, err := note.NewSigner(asked.Skey)
	must(err)
	signed, err := note.Sign(&note.Note{Text: asked.Text}, signer)
	must(err)
	answer.Signed = string(signed)

	var hashes store
	roots := map[int64]tlog.Hash{}
	for index, text := range asked.Entries {
		entry, err := hex.DecodeString(text)
		must(err)
		more, err := tlog.StoredHashes(int64(index), entry, hashes)
		must(err)
		hashes = append(hashes, more...)
		size := int64(index + 1)
		root, err := tlog.TreeHash(size, hashes)
		must(err)
		roots[size] = root
		answer.Roots[size] = hex.EncodeToString(root[:])
	}
	for _, each := range asked.Proofs {
		var path []tlog.Hash
		for _, text := range each.Path {
			bytes, err := base64.StdEncoding.DecodeString(text)
			must(err)
			path = append(path, *(*tlog.Hash)(bytes))
		}
		if each.Old > 0 {
			err = tlog.CheckTree(tlog.TreeProof(path), each.Size, roots[each.Size], each.Old, roots[each.Old])
		} else {
			entry, decoding := hex.DecodeString(asked.Entries[each.Index])
			must(decoding)
			leaf := tlog.RecordHash(entry)
			err = tlog.CheckRecord(tlog.RecordProof(path), each.Size, roots[each.Size], each.Index, leaf)
		}
		answer.Proved = append(answer.Proved, strings.TrimPrefix(fmt.Sprint(err), "<nil>"))
	}
	for _, each := range asked.Tiles {
		wanted := tlog.Tile{H: 8, L: each.Level, N: each.Number, W: each.Width}
		data, err := tlog.ReadTileData(wanted, hashes)
		must(err)
		answer.TilePath = append(answer.TilePath, wanted.Path())
		answer.TileData = append(answer.TileData, hex.EncodeToString(data))
	}
	must(json.NewEncoder(os.Stdout).Encode(answer))
}
