// Writes the TypeScript types of OpenAPI documents: node generate.mjs DOCUMENT TYPES [DOCUMENT TYPES …]
import { readFile, writeFile } from "node:fs/promises";
import openapiTS, { astToString } from "openapi-typescript";

const files = process.argv.slice(2);
for (let at = 0; at < files.length; at += 2) {
  const types = await openapiTS(await readFile(files[at], "utf-8"));
  await writeFile(files[at + 1], astToString(types));
}
