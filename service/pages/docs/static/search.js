// A search over the texts of all operations: every word must occur in one of an operation's texts.
"use strict"

/** Return the part of the description that `part` is or refers to. */
function resolved(description, part) {
  if (!part || !part.$ref) return part || {}
  return part.$ref.slice(2).split("/").reduce((found, step) => found[step], description)
}

/** Add the names and descriptions of a schema and of those that it is made of to `texts`. */
function addSchema(description, schema, texts, seen) {
  if (!schema || typeof schema !== "object") return
  if (schema.$ref) {
    if (seen.has(schema.$ref)) return
    seen.add(schema.$ref)
    texts.push(schema.$ref.split("/").pop())
    schema = resolved(description, schema)
  }
  if (schema.description) texts.push(schema.description)
  for (const [name, field] of Object.entries(schema.properties || {})) {
    texts.push(name)
    addSchema(description, field, texts, seen)
  }
  for (const part of [schema.items, ...(schema.oneOf || []), ...(schema.anyOf || [])]) {
    addSchema(description, part, texts, seen)
  }
}

/** Return the searchable text of an operation, in lower case. */
function textOf(description, path, method, item) {
  const operation = item[method]
  const texts = [method, path, operation.operationId, operation.summary, operation.description, ...(operation.tags || [])]
  for (const given of [...(item.parameters || []), ...(operation.parameters || [])]) {
    const parameter = resolved(description, given)
    texts.push(parameter.name, parameter.description)
  }
  for (const body of Object.values(resolved(description, operation.requestBody).content || {})) {
    addSchema(description, body.schema, texts, new Set())
  }
  return texts.filter(Boolean).join("\n").toLowerCase()
}

/** Return a function that says whether an operation, by its path and method, has all words of a phrase. */
function searching(description) {
  const texts = new Map()
  for (const [path, item] of Object.entries(description.paths)) {
    for (const method of ["get", "post", "put", "patch", "delete"]) {
      if (item[method]) texts.set(`${method} ${path}`, textOf(description, path, method, item))
    }
  }
  const has = (text, phrase) => phrase.toLowerCase().split(/\s+/).every((word) => text.includes(word))
  return {
    finds: (path, method, phrase) => has(texts.get(`${method} ${path}`) || "", phrase),
    count: (phrase) => [...texts.values()].filter((text) => has(text, phrase)).length,
  }
}
