import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { post, type Schemas } from '../api/client'
import { count, plural } from '../ui/format'
import { Section } from '../ui/page'
import { bytes } from '../ui/units'
import { tableNamed, type Question } from './question'

interface Props {
  question: Question
  files: ReadonlyMap<string, File>
  change: (more: Partial<Question>) => void
  setFiles: (files: ReadonlyMap<string, File>) => void
  insert: (text: string) => void
}

/** Tables are the Parquet files that a question may name, with their columns. */
export function Tables({ question, files, change, setFiles, insert }: Props) {
  const [url, setURL] = useState('')
  const taken = [...question.datasets.map((d) => d.table_name), ...files.keys()]
  const addURL = () => {
    const address = url.trim()
    if (!address) return
    change({ datasets: [...question.datasets, { table_name: tableNamed(address, taken), url: address }] })
    setURL('')
  }
  const addFiles = (list: FileList | null) => {
    const next = new Map(files)
    for (const file of list ?? []) next.set(tableNamed(file.name, [...taken, ...next.keys()]), file)
    setFiles(next)
  }
  return (
    <Section title="Tables">
      {taken.length === 0 && <p className="muted">Add a Parquet file, by its address or of this machine; a question names it as a table.</p>}
      {question.datasets.map((d, i) => (
        <OneTable key={d.table_name} name={d.table_name} from={d.url} insert={insert} remove={() => change({ datasets: question.datasets.filter((_, n) => n !== i) })} load={(signal) => post<Schemas['DatasetSchema']>('/datasets/schema', { url: d.url }, signal)} />
      ))}
      {[...files].map(([name, file]) => (
        <OneTable key={name} name={name} from={file.name} insert={insert} remove={() => setFiles(new Map([...files].filter(([n]) => n !== name)))} load={(signal) => {
          const form = new FormData()
          form.set('file', file)
          return post<Schemas['DatasetSchema']>('/datasets/upload/schema', form, signal)
        }} />
      ))}
      <form className="stack" onSubmit={(e) => (e.preventDefault(), addURL())}>
        <label>
          Address of a Parquet file
          <input type="url" value={url} onChange={(e) => setURL(e.target.value)} placeholder="https://…" />
        </label>
        <span className="actions">
          <button disabled={!url.trim()}>Add</button>
          <label className="button">
            Choose files
            <input className="hidden" type="file" multiple accept=".parquet" onChange={(e) => (addFiles(e.target.files), (e.target.value = ''))} />
          </label>
        </span>
      </form>
    </Section>
  )
}

function OneTable({ name, from, load, insert, remove }: { name: string; from: string; load: (signal: AbortSignal) => Promise<Schemas['DatasetSchema']>; insert: (text: string) => void; remove: () => void }) {
  const schema = useQuery({ queryKey: ['dataset', name, from], queryFn: ({ signal }) => load(signal), retry: false })
  return (
    <details open>
      <summary>
        <strong>{name}</strong> <span className="muted">{schema.data ? `${count(schema.data.row_count)} rows, ${bytes(schema.data.size_bytes)}` : schema.isPending ? 'reading…' : ''}</span>
      </summary>
      <p className="muted from">{from}</p>
      {schema.error && <p className="error" role="alert">{schema.error.message}</p>}
      {schema.data && (
        <ul className="rows concepts" aria-label={`${plural(schema.data.columns?.length ?? 0, 'column')} of ${name}`}>
          {(schema.data.columns ?? []).map((c) => (
            <li key={c.name}>
              <button className="link" onClick={() => insert(/^[a-z_][a-z0-9_]*$/i.test(c.name) ? c.name : `"${c.name.replaceAll('"', '""')}"`)} title="Put it into the question">
                {c.name}
              </button>
              <span className="muted">
                {c.type}
                {c.nullable ? '' : ', never null'}
              </span>
            </li>
          ))}
        </ul>
      )}
      <button onClick={remove} aria-label={`Remove the table ${name}`}>
        Remove
      </button>
    </details>
  )
}
