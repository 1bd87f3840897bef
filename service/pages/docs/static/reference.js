// Shows the description of the API in Swagger UI, with our search in place of its filter of tags.
"use strict"

/** Headers that stand for one request each: an example of them would be sent by every request that is tried out. */
const NEVER_FILLED_IN = new Set(["If-Match", "If-None-Match", "Idempotency-Key", "Last-Event-ID"])

/** Take the examples of such headers out of the description. */
function withoutExamples(description) {
  for (const item of Object.values(description.paths)) {
    for (const part of [item, ...Object.values(item)]) {
      for (const parameter of part.parameters || []) {
        if (NEVER_FILLED_IN.has(parameter.name)) delete parameter.example
      }
    }
  }
  for (const parameter of Object.values(description.components.parameters || {})) {
    if (NEVER_FILLED_IN.has(parameter.name)) delete parameter.example
  }
  return description
}

/** Replace parts of Swagger UI: our page has a search and an introduction of its own, and there is one server. */
function ownParts(system) {
  const nothing = () => null
  const text = (props) => system.React.createElement("span", null, props.text)
  return { components: { FilterContainer: nothing, InfoContainer: nothing, ServersContainer: nothing, DeepLink: text } }
}

/** Let the keyboard scroll examples, which Swagger UI makes as it shows them. */
function focusExamples(within) {
  const focus = () => within.querySelectorAll("pre:not([tabindex])").forEach((each) => (each.tabIndex = 0))
  new MutationObserver(focus).observe(within, { childList: true, subtree: true })
}

function followScheme() {
  const dark = matchMedia("(prefers-color-scheme: dark)")
  const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches)
  dark.addEventListener("change", follow)
  follow()
}

function show(description) {
  const search = searching(description)
  const form = document.getElementById("search")
  const words = document.getElementById("words")
  const found = document.getElementById("found")
  const filter = (operations, phrase) =>
    operations
      .map((tag) =>
        tag.set("operations", tag.get("operations").filter((each) => search.finds(each.get("path"), each.get("method"), phrase))),
      )
      .filter((tag) => tag.get("operations").size > 0)
  const ui = SwaggerUIBundle({
    spec: withoutExamples(description),
    domNode: document.getElementById("swagger-ui"),
    deepLinking: true,
    docExpansion: "list",
    defaultModelsExpandDepth: 0,
    displayRequestDuration: true,
    filter: true,
    validatorUrl: "none",
    syntaxHighlight: { theme: "tomorrow-night" },
    plugins: [{ fn: { opsFilter: filter } }, ownParts],
  })
  words.addEventListener("input", () => {
    const phrase = words.value.trim()
    ui.layoutActions.updateFilter(phrase || true)
    const count = search.count(phrase)
    found.textContent = phrase && (count === 1 ? "1 operation" : `${count || "No"} operations`)
  })
  form.addEventListener("submit", (event) => event.preventDefault())
  form.hidden = false
}

followScheme()
focusExamples(document.getElementById("swagger-ui"))
fetch("/openapi.json")
  .then((answer) => answer.json())
  .then(show)
  .catch(() => {
    document.getElementById("swagger-ui").textContent = "The description of the API could not be loaded; load this page again."
  })
