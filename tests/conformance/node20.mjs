// Preload (node --import) for Node 20: the suite imports fs.globSync, which came with Node 22, though
// only its tier-check command uses it. Give the suite an `fs` that has the name.
import { register } from "node:module";

const source = (text) => "data:text/javascript," + encodeURIComponent(text);
const fs = source(
  `export * from 'node:fs'; export function globSync() { throw new Error('needs Node 22'); }`,
);
register(
  source(`export async function resolve(name, context, next) {
    const suite = context.parentURL?.includes('/@modelcontextprotocol/conformance/');
    return name === 'fs' && suite ? { url: ${JSON.stringify(fs)}, shortCircuit: true } : next(name, context);
  }`),
);
