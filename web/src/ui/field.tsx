import { useId } from 'react'

export type Value = string | boolean | File
export type Values = Record<string, Value>

/** A field of a form. options are what may be chosen, or, of a text, what is proposed. */
export interface Field {
  name: string
  label: string
  kind?: 'text' | 'number' | 'password' | 'check' | 'select' | 'area' | 'file'
  value?: Value
  options?: (string | [value: string, label: string])[]
  required?: boolean
  help?: string
  min?: number
  max?: number
  step?: number | 'any'
  accept?: string
}

/** Control is the input of a field, below its label. */
export function Control({ field: f, value, set, first }: { field: Field; value: Value | undefined; set: (v: Value) => void; first?: boolean }) {
  const id = useId()
  const options = (f.options ?? []).map((o) => (typeof o === 'string' ? [o, o] : o) as [string, string])
  const text = typeof value === 'string' ? value : ''
  const described = f.help ? id + 'h' : undefined
  const common = { id, required: f.required, autoFocus: first, 'aria-describedby': described }
  const help = f.help && (
    <small id={described} className="muted">
      {f.help}
    </small>
  )
  if (f.kind === 'check')
    return (
      <div>
        <label className="check">
          <input {...common} required={false} type="checkbox" checked={value === true} onChange={(e) => set(e.target.checked)} />
          {f.label}
        </label>
        {help}
      </div>
    )
  return (
    <div className="field">
      <label htmlFor={id}>{f.label}</label>
      {f.kind === 'select' ? (
        <select {...common} value={text} onChange={(e) => set(e.target.value)}>
          {!f.required && !options.some(([v]) => v === '') && <option value="" />}
          {options.map(([v, label]) => (
            <option key={v} value={v}>
              {label}
            </option>
          ))}
        </select>
      ) : f.kind === 'area' ? (
        <textarea {...common} rows={4} value={text} onChange={(e) => set(e.target.value)} />
      ) : f.kind === 'file' ? (
        <input {...common} type="file" accept={f.accept} onChange={(e) => e.target.files?.[0] && set(e.target.files[0])} />
      ) : (
        <>
          <input {...common} type={f.kind ?? 'text'} min={f.min} max={f.max} step={f.step} value={text} autoComplete={f.kind === 'password' ? 'new-password' : 'off'} list={options.length ? id + 'l' : undefined} onChange={(e) => set(e.target.value)} />
          {options.length > 0 && (
            <datalist id={id + 'l'}>
              {options.map(([v, label]) => (
                <option key={v} value={v}>
                  {label}
                </option>
              ))}
            </datalist>
          )}
        </>
      )}
      {help}
    </div>
  )
}

/** filled leaves out what was left empty, and makes numbers of those that are named. */
export function filled(values: Values, numbers: string[] = []): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values)
      .filter(([, v]) => v !== '')
      .map(([name, v]) => [name, numbers.includes(name) ? Number(v) : v]),
  )
}

/** textOf is the value of a field that holds text. */
export const textOf = (v: Value | undefined) => (typeof v === 'string' ? v : '')
