/**
 * What a browser must load before the first page shows anything: the page, its entry script with all
 * that it imports at once, and the style sheets, packed as the server sends them. Then the largest
 * of the routes, which load on top when they are visited.
 */
import { readFileSync } from 'node:fs'
import { brotliCompressSync } from 'node:zlib'

const LIMIT_KB = 200
const dist = new URL('../dist/', import.meta.url)
const manifest = JSON.parse(readFileSync(new URL('.vite/manifest.json', dist), 'utf8'))
const packed = (file) => brotliCompressSync(readFileSync(new URL(file, dist))).length

/** A chunk, what it imports at once, and their style sheets. */
function filesOf(name, seen = new Set()) {
  const chunk = manifest[name]
  if (chunk === undefined || seen.has(chunk.file)) return seen
  seen.add(chunk.file)
  for (const style of chunk.css ?? []) seen.add(style)
  for (const part of chunk.imports ?? []) filesOf(part, seen)
  return seen
}

const sum = (files) => [...files].reduce((total, file) => total + packed(file), 0)
const kb = (bytes) => `${(bytes / 1000).toFixed(1)} kB`

const entry = Object.keys(manifest).find((name) => manifest[name].isEntry)
const first = filesOf(entry).add('index.html')

// The first load is never without a route: the shell and the fleet page, its usual first page.
const routes = Object.keys(manifest).filter((name) => manifest[name].isDynamicEntry)
const added = (name) => [...filesOf(name)].filter((file) => !first.has(file))
const isStart = (name) => /routes\/(_app|_app\/index)\.tsx/.test(name)
const start = new Set([...first, ...routes.filter(isStart).flatMap(added)])

for (const name of routes.filter((route) => !isStart(route))) {
  console.log(`${kb(sum(added(name).filter((file) => !start.has(file)))).padStart(9)}  ${name}`)
}
console.log(`${kb(sum(start)).padStart(9)}  first load (limit ${LIMIT_KB} kB)`)
if (sum(start) > LIMIT_KB * 1000) {
  console.error('The first load is too large.')
  process.exit(1)
}
