import { Problem, tokenHeader } from './client'

/** download has the browser save what a route of the API answers with, and returns how many bytes that are. A refusal is a Problem. */
export async function download(method: 'GET' | 'POST', path: string, name: string): Promise<number> {
  const resp = await fetch('/api' + path, { method, headers: method === 'GET' ? {} : tokenHeader(), credentials: 'same-origin' })
  if (!resp.ok) throw new Problem(resp.status, (await resp.json().catch(() => null))?.detail ?? `${resp.status} ${resp.statusText}`)
  const said = /filename="?([^";]+)"?/.exec(resp.headers.get('Content-Disposition') ?? '')?.[1]
  const body = await resp.blob()
  save(body, said ?? name)
  return body.size
}

/** save has the browser save something under a name. */
export function save(body: Blob, name: string) {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(body)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
