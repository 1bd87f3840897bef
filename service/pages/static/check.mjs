// Checks the record of a table's game on its page, by the verifier, both of which are loaded only for that.

/** Say in an element whether the record is right whose address it has. */
export async function check(verdict) {
  const words = verdict.dataset;
  const tell = (text, facts) => {
    verdict.hidden = false;
    verdict.classList.toggle("wrong", text !== words.right);
    verdict.textContent = text.replace(/\{(\w+)\}/g, (_, name) => facts[name]);
  };
  let verifier, entries = 0;
  try {
    verifier = await import("/verify/nova-luna-verify.mjs");
    const { pathname, search } = new URL(words.record);
    const answer = await fetch(pathname + search, { headers: { Accept: "application/json" } });
    if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
    verifier.verify(new Uint8Array(await answer.arrayBuffer()), ({ entry }) => (entries = entry ?? entries));
    tell(words.right, { entries });
  } catch (error) {
    tell(verifier && error instanceof verifier.Fault ? words.broken : words.unread, { why: error.message });
  }
}
