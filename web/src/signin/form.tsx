import { useEffect, useRef, useState, type FormEvent } from 'react'
import { post, type Schemas } from '../api/client'

/** SignInForm asks for a name and a password: as a page, or, for somebody whose session has ended, over the page. */
export function SignInForm({ done, again }: { done: (s: Schemas['Session']) => void; again?: string }) {
  const [error, setError] = useState('')
  const [busy, setBusy] = useState(false)
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    if (again) dialog.current?.showModal()
    else document.title = 'Sign in · Kappa'
  }, [again])

  const submit = async (e: FormEvent<HTMLFormElement>) => {
    e.preventDefault()
    const form = new FormData(e.currentTarget)
    setBusy(true)
    setError('')
    try {
      done(await post<Schemas['Session']>('/auth/session', new URLSearchParams({ username: String(form.get('username')), password: String(form.get('password')) })))
    } catch (err) {
      setError((err as Error).message)
      setBusy(false)
    }
  }
  const form = (
    <form onSubmit={submit} className="signin">
      <h1>{again ? 'Sign in again' : 'Kappa'}</h1>
      <p className="muted">{again ? 'Your session has ended. The page stays as it is.' : 'Sign in with your account of this server.'}</p>
      <label>
        Name
        <input name="username" autoComplete="username" required defaultValue={again ?? ''} readOnly={!!again} autoFocus={!again} maxLength={100} />
      </label>
      <label>
        Password
        <input name="password" type="password" autoComplete="current-password" required autoFocus={!!again} />
      </label>
      {error && (
        <p className="error" role="alert">
          {error}
        </p>
      )}
      <button className="primary" disabled={busy}>
        {busy ? 'Signing in…' : 'Sign in'}
      </button>
    </form>
  )
  if (!again) return <main className="gate">{form}</main>
  return (
    <dialog ref={dialog} onCancel={(e) => e.preventDefault()} aria-label="Sign in again">
      {form}
    </dialog>
  )
}
