import type { ReactNode } from 'react'
import { Link, useLocation } from 'wouter'
import { Keys } from '../keys/keys'
import { useLive } from '../live/live'
import { useMay, useSigned } from '../signin/session'
import { More } from './more'
import { toast } from './toast'

/** useMayIngest reports whether the role may submit documents. */
export const useMayIngest = () => {
  const may = useMay()
  return may('ingest', 'create')
}

/** Frame is around every page: where one can go, whether the page is live, and who is signed in. */
export function Frame({ children }: { children: ReactNode }) {
  const [at] = useLocation()
  const { session, signOut } = useSigned()
  const may = useMay()
  const ingests = useMayIngest()
  const { state } = useLive()
  const to = (path: string, name: string) => (
    <Link href={path} aria-current={(path === '/' ? at === '/' : at.startsWith(path)) ? 'page' : undefined}>
      {name}
    </Link>
  )
  return (
    <>
      <a className="skip" href="#main">
        Skip to the page
      </a>
      <header className="top">
        <nav aria-label="Pages">
          {to('/', 'Home')}
          {ingests && to('/ingest', 'Ingest')}
          {may('jobs', 'read') && to('/jobs', 'Jobs')}
          {may('graph', 'read') && to('/ask', 'Ask')}
          {may('graph', 'read') && to('/explore', 'Explore')}
          {may('workers', 'view') && to('/lanes', 'Lanes')}
          <More at={at} />
        </nav>
        <div className="who">
          <Keys />
          <Link href="/account" className="muted">
            {session.user.username}
          </Link>
          <button onClick={() => signOut().catch((err: Error) => toast('You are still signed in: ' + err.message, true))}>Sign out</button>
        </div>
      </header>
      {state === 'lost' && (
        <p className="banner" role="status">
          The connection to the server is lost. What you see may be old; it is connected again by itself.
        </p>
      )}
      <main id="main" tabIndex={-1}>
        {children}
      </main>
    </>
  )
}
