// Compresses the built files, and fails when the first load is larger than it may be.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'

const most = 110_000 // bytes of the first load, compressed
const dist = new URL('../../internal/http/console/dist/', import.meta.url)
const sizes = {}
for (const name of readdirSync(dist, { recursive: true })) {
  if (!/\.(html|js|css|svg)$/.test(name)) continue
  const packed = gzipSync(readFileSync(new URL(name, dist)), { level: 9 })
  writeFileSync(new URL(name + '.gz', dist), packed)
  sizes[name] = packed.length
}
const page = readFileSync(new URL('index.html', dist), 'utf8')
const first = Object.keys(sizes).filter((name) => name === 'index.html' || page.includes('/console/' + name))
const total = first.reduce((sum, name) => sum + sizes[name], 0)
console.log(`first load: ${(total / 1000).toFixed(1)} kB compressed, in ${first.length} files; at most ${most / 1000} kB`)
if (total > most) {
  console.error('the first load is too large: load pages when they are opened, or use less of a library')
  process.exit(1)
}
