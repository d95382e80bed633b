import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useId, useRef, useState, type FormEvent, type ReactNode } from 'react'
import { Control, type Field, type Values } from './field'
import { toast } from './toast'

/** What somebody is asked before it is done: in words, and in fields. */
export interface Act {
  title: string
  confirm: string
  danger?: boolean
  text?: ReactNode
  fields?: Field[]
  /** Says what would change; an empty list leaves nothing to confirm. */
  changes?: (values: Values) => string[]
  /** Does it, and says what became of it: a sentence, or something that stays until it is closed. */
  run: (values: Values) => Promise<ReactNode>
}

/** useAct returns what asks for an act, and the dialog that does, which is shown somewhere in the page. */
export function useAct(): [ask: (act: Act) => void, dialog: ReactNode] {
  const [act, setAct] = useState<{ act: Act; n: number } | null>(null)
  return [(next) => setAct((was) => ({ act: next, n: (was?.n ?? 0) + 1 })), act && <ActDialog key={act.n} act={act.act} close={() => setAct((was) => (was?.n === act.n ? null : was))} />]
}

function ActDialog({ act, close }: { act: Act; close: () => void }) {
  const client = useQueryClient()
  const ref = useRef<HTMLDialogElement>(null)
  const title = useId()
  const [values, setValues] = useState<Values>(() => Object.fromEntries((act.fields ?? []).map((f) => [f.name, f.value ?? (f.kind === 'check' ? false : '')])))
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState('')
  const [done, setDone] = useState<ReactNode>(null)
  useEffect(() => {
    if (!ref.current?.open) ref.current?.showModal()
  }, [])
  const changes = act.changes?.(values)
  const submit = async (e: FormEvent) => {
    e.preventDefault()
    if (busy) return
    setBusy(true)
    setError('')
    try {
      const said = await act.run(values)
      void client.invalidateQueries({ predicate: (q) => q.queryKey[0] !== 'session' && q.queryKey[0] !== 'permissions' })
      if (said && typeof said !== 'string') setDone(said)
      else {
        if (said) toast(said as string)
        ref.current?.close()
      }
    } catch (err) {
      setError((err as Error).message)
    }
    setBusy(false)
  }
  return (
    <dialog ref={ref} aria-labelledby={title} onClose={close}>
      <form onSubmit={(e) => void submit(e)}>
        <h2 id={title}>{act.title}</h2>
        {done ?? (
          <>
            {act.text && <div className="muted">{act.text}</div>}
            <div className="stack">
              {(act.fields ?? []).map((f, i) => (
                <Control key={f.name} field={f} value={values[f.name]} first={i === 0} set={(v) => setValues((was) => ({ ...was, [f.name]: v }))} />
              ))}
            </div>
            {changes && (
              <ul aria-label="What changes">{changes.length === 0 ? <li className="muted">Nothing changes yet.</li> : changes.map((c) => <li key={c}>{c}</li>)}</ul>
            )}
            {error && (
              <p className="error" role="alert">
                {error}
              </p>
            )}
          </>
        )}
        <div className="actions">
          <button type="button" onClick={() => ref.current?.close()}>
            {done ? 'Close' : 'Back'}
          </button>
          {!done && (
            <button className={act.danger ? 'danger' : 'primary'} disabled={busy || changes?.length === 0}>
              {busy ? 'Working…' : act.confirm}
            </button>
          )}
        </div>
      </form>
    </dialog>
  )
}
