import { Problem, problemOf, writeHeaders } from './client'

/** Told is an event of an event stream. */
export interface Told {
  event: string
  id: string
  data: string
}

/** parser returns a function that takes text of an event stream in any pieces, and returns the events that it ends. */
export function parser(): (text: string) => Told[] {
  let rest = ''
  return (text) => {
    const parts = (rest + text).replace(/\r\n?/g, '\n').split('\n\n')
    rest = parts.pop()!
    return parts.flatMap((part) => {
      const told: Told = { event: 'message', id: '', data: '' }
      const data: string[] = []
      for (const line of part.split('\n')) {
        const at = line.indexOf(':')
        if (at <= 0) continue // a comment, or a field without a value
        const value = line.slice(at + 1).replace(/^ /, '')
        const name = line.slice(0, at)
        if (name === 'data') data.push(value)
        else if (name === 'event' || name === 'id') told[name] = value
      }
      return data.length > 0 ? [{ ...told, data: data.join('\n') }] : []
    })
  }
}

/** stream asks a route that answers with an event stream, and yields its events until it ends. EventSource would neither send a body nor begin in the middle. */
export async function* stream(method: string, path: string, signal: AbortSignal, body?: unknown, headers: Record<string, string> = {}): AsyncGenerator<Told> {
  let resp: Response
  try {
    resp = await fetch('/api' + path, { method, signal, body: body === undefined ? null : JSON.stringify(body), headers: { Accept: 'text/event-stream', ...writeHeaders(method, body), ...headers }, credentials: 'same-origin' })
  } catch (cause) {
    if (signal.aborted) return
    throw new Problem(0, 'The server does not answer.')
  }
  if (!resp.ok || !resp.body) throw await problemOf(resp, path)
  const parse = parser()
  const reader = resp.body.pipeThrough(new TextDecoderStream()).getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield* parse(value)
    }
  } catch (cause) {
    if (!signal.aborted) throw new Problem(0, 'The stream was cut.')
  }
}
