import type { components } from './schema'

export type Schemas = components['schemas']
export type Job = Schemas['Job']

/** A request that the server refused, or did not answer (status 0). */
export class Problem extends Error {
  constructor(
    readonly status: number,
    detail: string,
  ) {
    super(detail)
  }
}

let token = ''
let onSignedOut = () => {}

/** setToken keeps the token against cross-site writes, in memory only. */
export function setToken(value: string) {
  token = value
}

/** tokenHeader is what goes with a write that is not made by request. */
export const tokenHeader = () => ({ 'X-Kappa-Token': token })

/** whenSignedOut has f called when the server refuses the session. */
export function whenSignedOut(f: () => void) {
  onSignedOut = f
}

export interface Answer<T> {
  body: T
  header: Headers
}

/** request calls a route of the API. A refusal is a Problem with the server's own sentence. */
export async function request<T>(method: string, path: string, body?: unknown, signal?: AbortSignal, more?: Record<string, string>): Promise<Answer<T>> {
  const headers: Record<string, string> = { Accept: 'application/json', ...more }
  if (method !== 'GET') headers['X-Kappa-Token'] = token
  let payload: BodyInit | undefined
  if (body instanceof FormData || body instanceof URLSearchParams) payload = body
  else if (body !== undefined) {
    headers['Content-Type'] = 'application/json'
    payload = JSON.stringify(body)
  }
  let resp: Response
  try {
    resp = await fetch('/api' + path, { method, headers, body: payload ?? null, signal: signal ?? null, credentials: 'same-origin' })
  } catch (cause) {
    if (signal?.aborted) throw cause
    throw new Problem(0, 'The server does not answer. It is tried again when it is back.')
  }
  const text = await resp.text()
  const json = text && resp.headers.get('Content-Type')?.includes('json') ? JSON.parse(text) : undefined
  if (!resp.ok) {
    if (resp.status === 401 && path !== '/auth/session') onSignedOut()
    throw new Problem(resp.status, sentence(json) ?? `${resp.status} ${resp.statusText}`)
  }
  return { body: json as T, header: resp.headers }
}

/** sentence is what a problem document says, with each broken rule. */
function sentence(problem?: { detail?: string; errors?: { loc: unknown[]; msg: string }[] }): string | undefined {
  if (!problem?.detail) return undefined
  const rules = problem.errors?.map((e) => `${e.loc.slice(1).join('.')}: ${e.msg}`).filter((r) => !problem.detail!.includes(r)) ?? []
  return [problem.detail, ...rules].join(' · ')
}

export const get = async <T>(path: string, signal?: AbortSignal) => (await request<T>('GET', path, undefined, signal)).body
export const post = async <T>(path: string, body?: unknown, signal?: AbortSignal) => (await request<T>('POST', path, body, signal)).body
export const del = async <T>(path: string) => (await request<T>('DELETE', path)).body
