import { useEffect, type ReactNode } from 'react'

/** Page is the frame of every page: its title, what can be done, and its content. */
export function Page({ title, actions, children }: { title: string; actions?: ReactNode; children: ReactNode }) {
  useEffect(() => {
    document.title = title + ' · Kappa'
  }, [title])
  return (
    <>
      <header className="pagehead">
        <h1>{title}</h1>
        {actions && <div className="actions">{actions}</div>}
      </header>
      {children}
    </>
  )
}

export function Loading({ what }: { what: string }) {
  return (
    <p className="state muted" role="status">
      Loading {what}…
    </p>
  )
}

export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="state">
      <p>
        <strong>{title}</strong>
      </p>
      {children && <p className="muted">{children}</p>}
    </div>
  )
}

export function ErrorState({ error, retry }: { error: Error | null; retry?: () => void }) {
  return (
    <div className="state" role="alert">
      <p className="error">{error?.message ?? 'It could not be loaded.'}</p>
      {retry && <button onClick={retry}>Try again</button>}
    </div>
  )
}

/** Section is a titled part of a page. */
export function Section({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) {
  return (
    <section className="card">
      <div className="cardhead">
        <h2>{title}</h2>
        {aside}
      </div>
      {children}
    </section>
  )
}
