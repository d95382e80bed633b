// Removes what an earlier build left, and keeps the one file that is committed.
import { readdirSync, rmSync } from 'node:fs'

const dist = new URL('../../internal/http/console/dist/', import.meta.url)
for (const name of readdirSync(dist)) if (name !== 'README.txt') rmSync(new URL(name, dist), { recursive: true })
