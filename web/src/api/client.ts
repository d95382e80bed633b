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
  const headers: Record<string, string> = { Accept: 'application/json', ...writeHeaders(method, body), ...more }
  const payload = body instanceof FormData || body instanceof URLSearchParams ? body : body !== undefined ? JSON.stringify(body) : undefined
  let resp: Response
  try {
    resp = await fetch('/api' + path, { method, headers, body: payload ?? null, signal: signal ?? null, credentials: 'same-origin' })
  } catch (cause) {
    if (signal?.aborted) throw cause
    throw new Problem(0, 'The server does not answer. It is tried again when it is back.')
  }
  if (!resp.ok) throw await problemOf(resp, path)
  return { body: (await bodyOf(resp)) as T, header: resp.headers }
}

/** writeHeaders are the headers of a request with a body: its type, and the token against cross-site writes. */
export function writeHeaders(method: string, body: unknown): Record<string, string> {
  const headers: Record<string, string> = {}
  if (method !== 'GET') headers['X-Kappa-Token'] = token
  if (body !== undefined && !(body instanceof FormData) && !(body instanceof URLSearchParams)) headers['Content-Type'] = 'application/json'
  return headers
}

async function bodyOf(resp: Response): Promise<unknown> {
  const text = await resp.text()
  return text && resp.headers.get('Content-Type')?.includes('json') ? JSON.parse(text) : undefined
}

/** problemOf is what a refusal says. That of the session has one sign in again. */
export async function problemOf(resp: Response, path: string): Promise<Problem> {
  if (resp.status === 401 && path !== '/auth/session') onSignedOut()
  return new Problem(resp.status, sentence((await bodyOf(resp)) as never) ?? `${resp.status} ${resp.statusText}`)
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
