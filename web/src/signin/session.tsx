import { useQuery, useQueryClient } from '@tanstack/react-query'
import { createContext, useContext, useEffect, useState, type ReactNode } from 'react'
import { del, get, Problem, setToken, whenSignedOut, type Schemas } from '../api/client'
import { ErrorState, Loading } from '../ui/page'
import { SignInForm } from './form'

type Session = Schemas['Session']

interface Signed {
  session: Session
  held: Schemas['PermissionHeld'][]
  signOut: () => Promise<void>
}

const Context = createContext<Signed | null>(null)

/** useSigned returns who is signed in; it is used below SessionGate only. */
export function useSigned(): Signed {
  const signed = useContext(Context)
  if (!signed) throw new Error('nobody is signed in here')
  return signed
}

/** useMay returns what tells whether the role permits an act, be it on some rows only. */
export function useMay(): (resource: string, action: string) => boolean {
  const { held } = useSigned()
  return (resource, action) => held.some((p) => p.granted && (p.resource === resource || p.resource === '*') && (p.action === action || p.action === '*'))
}

/** useMayAll returns what tells whether the role permits an act on all rows, not only on some. */
export function useMayAll(): (resource: string, action: string) => boolean {
  const { held } = useSigned()
  return (resource, action) => held.some((p) => p.granted && p.scope_type === 'global' && (p.resource === resource || p.resource === '*') && (p.action === action || p.action === '*'))
}

/** SessionGate shows its children to those who are signed in, and the form to all others. A session that ends under an open page is renewed in place: the page stays, and what was typed with it. */
export function SessionGate({ children }: { children: ReactNode }) {
  const client = useQueryClient()
  const [ended, setEnded] = useState(false)
  const session = useQuery({ queryKey: ['session'], queryFn: ({ signal }) => get<Session>('/auth/session', signal), staleTime: Infinity })
  const held = useQuery({
    queryKey: ['permissions', session.data?.user.id],
    queryFn: ({ signal }) => get<Schemas['HeldAnswer']>('/users/me/permissions', signal),
    enabled: !!session.data,
    staleTime: Infinity,
  })
  useEffect(() => whenSignedOut(() => setEnded(true)), [])
  if (session.data) setToken(session.data.token)

  const signedIn = (s: Session) => {
    const other = s.user.id !== session.data?.user.id
    setToken(s.token)
    setEnded(false)
    client.setQueryData(['session'], s)
    if (other) client.removeQueries({ predicate: (q) => q.queryKey[0] !== 'session' }) // what somebody else has read
    if (!other) void client.invalidateQueries({ predicate: (q) => q.queryKey[0] !== 'session' })
  }
  const signOut = async () => {
    try {
      await del('/auth/session')
    } catch (err) {
      if (!(err instanceof Problem) || err.status !== 401) throw err
    }
    client.clear()
    location.assign('/console/')
  }

  const refused = session.error instanceof Problem && [401, 403, 404].includes(session.error.status)
  if (session.isPending || (session.data && held.isPending)) return <Loading what="the console" />
  if (refused || !session.data) {
    if (!refused && session.error) return <ErrorState error={session.error} retry={() => void session.refetch()} />
    return <SignInForm done={signedIn} />
  }
  if (!held.data) return <ErrorState error={held.error} retry={() => void held.refetch()} />
  return (
    <Context.Provider value={{ session: session.data, held: held.data.permissions ?? [], signOut }}>
      {children}
      {ended && <SignInForm done={signedIn} again={session.data.user.username} />}
    </Context.Provider>
  )
}
