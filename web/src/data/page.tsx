import { useState, type FormEvent } from 'react'
import { Link, useSearchParams } from 'wouter'
import { post, type Schemas } from '../api/client'
import { useMay } from '../signin/session'
import { useAct } from '../ui/act'
import { plural } from '../ui/format'
import { Page, Section } from '../ui/page'
import { Editor } from './editor'
import { Kept } from './kept'
import { Result } from './result'
import { read, write, type Question } from './question'
import { Tables } from './tables'

type Rows = Schemas['DatasetRows']

/** DataPage asks questions in SQL to Parquet files, at addresses or of this machine. Its address holds the question and where the files are. */
export default function DataPage() {
  const may = useMay()
  const [ask, dialog] = useAct()
  const [search, setSearch] = useSearchParams()
  const [question, setQuestion] = useState<Question>(() => read(search))
  const [files, setFiles] = useState<ReadonlyMap<string, File>>(new Map())
  const [answer, setAnswer] = useState<Rows | Error | null>(null)
  const [running, setRunning] = useState<AbortController | null>(null)
  const change = (more: Partial<Question>) => setQuestion((q) => ({ ...q, ...more }))
  const load = (q: Question) => (setQuestion(q), setAnswer(null), setSearch(write(q), { replace: true }))
  const run = async (e?: FormEvent) => {
    e?.preventDefault()
    if (running || !question.sql.trim()) return
    setSearch(write(question), { replace: true })
    const stop = new AbortController()
    setRunning(stop)
    setAnswer(null)
    try {
      setAnswer(await post<Rows>(...requestOf(question, files), stop.signal))
    } catch (err) {
      setAnswer(stop.signal.aborted ? new Error('The question was stopped.') : (err as Error))
    }
    setRunning(null)
  }
  const whole = () =>
    ask({
      title: 'Write the whole answer to a file', confirm: 'Submit the job', text: 'A job asks the question, for up to 10 minutes, and keeps the whole answer.', fields: [{ name: 'format', label: 'As', kind: 'select', required: true, value: 'csv', options: [['csv', 'CSV'], ['parquet', 'Parquet']] }],
      run: async (v) => {
        const { job_id } = await post<Schemas['DecisionAnswer']>('/datasets/jobs', { sql: question.sql, datasets: question.datasets, format: v.format })
        return <p>The job <Link href={'/jobs/' + job_id}>{job_id}</Link> writes it; the file is below its result.</p>
      },
    })
  return (
    <Page title="Data">
      <div className="reader">
        <div>
          <Section title="Question">
            <form onSubmit={(e) => void run(e)}>
              <Editor value={question.sql} set={(sql) => change({ sql })} run={() => void run()} />
              <div className="actions">
                <button className="primary" disabled={!!running || !question.sql.trim()}>
                  {running ? 'Asking…' : 'Ask'}
                </button>
                {running && <button type="button" onClick={() => running.abort()}>Stop</button>}
                <label className="inline">
                  at most
                  <input type="number" min={1} max={10_000} value={question.limit} onChange={(e) => change({ limit: Number(e.target.value) || 1 })} />
                  rows
                </label>
                {may('jobs', 'write') && files.size === 0 && <button type="button" onClick={whole} disabled={!question.sql.trim()}>Whole answer as a file…</button>}
              </div>
            </form>
          </Section>
          {(answer || running) && (
            <Section title="Answer" aside={answer && !(answer instanceof Error) && <span className="muted">{plural(answer.total_rows, 'row')}, {Math.round(answer.duration_ms)} ms{answer.truncated && `, the first ${answer.rows?.length ?? 0} shown`}</span>}>
              {running ? <p className="state muted" role="status">Asking…</p> : answer instanceof Error ? <p className="error" role="alert">{answer.message}</p> : answer && <Result rows={answer} />}
            </Section>
          )}
          {may('queries', 'read') && <Kept question={question} load={load} local={files.size > 0} />}
        </div>
        <aside>
          <Tables question={question} files={files} change={change} setFiles={setFiles} insert={(text) => change({ sql: question.sql + (question.sql && !/\s$/.test(question.sql) ? ' ' : '') + text })} />
        </aside>
      </div>
      {dialog}
    </Page>
  )
}

/** requestOf is the request of a question: a form when files of this machine are sent with it. */
function requestOf(q: Question, files: ReadonlyMap<string, File>): [path: string, body: unknown] {
  const request = { sql: q.sql, datasets: q.datasets, limit: q.limit }
  if (files.size === 0) return ['/datasets/query', request]
  const form = new FormData()
  form.set('query', JSON.stringify(request))
  for (const [table, file] of files) form.set(table, file)
  return ['/datasets/upload/query', form]
}
