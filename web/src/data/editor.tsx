import { useRef, type KeyboardEvent } from 'react'

/** Editor takes SQL: Ctrl-Enter asks, Tab indents once Escape has not just been pressed, and Enter keeps the indentation. */
export function Editor({ value, set, run }: { value: string; set: (sql: string) => void; run: () => void }) {
  const leaves = useRef(false) // after Escape, Tab leaves the editor
  const press = (e: KeyboardEvent<HTMLTextAreaElement>) => {
    const box = e.currentTarget
    const { selectionStart: from, selectionEnd: to } = box
    const put = (text: string) => {
      e.preventDefault()
      box.setRangeText(text, from, to, 'end')
      set(box.value)
    }
    if (e.key === 'Enter' && (e.ctrlKey || e.metaKey)) {
      e.preventDefault()
      run()
    } else if (e.key === 'Enter' && !e.shiftKey) {
      const indent = /^[ \t]*/.exec(value.slice(value.lastIndexOf('\n', from - 1) + 1, from))?.[0] ?? ''
      if (indent) put('\n' + indent)
    } else if (e.key === 'Tab' && !e.shiftKey && !leaves.current) put('  ')
    leaves.current = e.key === 'Escape' || (leaves.current && e.key === 'Shift')
  }
  return (
    <>
      <label className="wide sql">
        SQL
        <textarea rows={10} spellCheck={false} autoCapitalize="off" autoComplete="off" value={value} onKeyDown={press} onChange={(e) => set(e.target.value)} aria-describedby="sql-keys" placeholder="SELECT * FROM t LIMIT 10" />
      </label>
      <p id="sql-keys" className="muted">
        Ctrl-Enter asks. Tab indents; Escape and then Tab leaves.
      </p>
    </>
  )
}
