import { useEffect, useId, useRef, type ReactNode } from 'react'

/** Dialog asks before something is done. Escape and Cancel close it. */
export function Dialog(props: { title: string; confirm: string; danger?: boolean; disabled?: boolean; onConfirm: () => void; onClose: () => void; children: ReactNode }) {
  const ref = useRef<HTMLDialogElement>(null)
  const title = useId()
  useEffect(() => {
    const dialog = ref.current
    if (dialog && !dialog.open) dialog.showModal()
  }, [])
  return (
    <dialog ref={ref} aria-labelledby={title} onClose={props.onClose}>
      <h2 id={title}>{props.title}</h2>
      {props.children}
      <div className="actions">
        <button onClick={() => ref.current?.close()}>Back</button>
        <button className={props.danger ? 'danger' : 'primary'} disabled={props.disabled} onClick={props.onConfirm}>
          {props.confirm}
        </button>
      </div>
    </dialog>
  )
}
