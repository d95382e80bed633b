import { useQuery } from '@tanstack/react-query'
import { useMemo, useRef, useState, type DragEvent, type FormEvent } from 'react'
import { get, post, type Schemas } from '../api/client'
import { useMay } from '../signin/session'
import { plural } from '../ui/format'
import { Empty, Page, Section } from '../ui/page'
import { toast } from '../ui/toast'
import { Uploads } from './queue'
import { Row, type Item } from './row'

type Submitted = Schemas['SubmittedAnswer'] | Schemas['DuplicateAnswer']

/** IngestPage takes files, text and addresses, shows what each would cost, and follows those that are approved. */
export default function IngestPage() {
  const may = useMay()
  const [items, setItems] = useState<Item[]>([])
  const [ontology, setOntology] = useState('')
  const [over, setOver] = useState(false)
  const [held, setHeld] = useState(false)
  const uploads = useMemo(() => new Uploads(), [])
  const name = useRef<HTMLInputElement>(null)
  const last = useRef(0)
  const known = useQuery({ queryKey: ['ontologies'], queryFn: ({ signal }) => get<Schemas['OntologyList']>('/ontology/', signal), enabled: may('ontologies', 'read') })

  const change = (id: number, part: Partial<Item>) => setItems((all) => all.map((i) => (i.id === id ? { ...i, ...part } : i)))
  const submit = (title: string, path: string, form: () => FormData | URLSearchParams) => {
    const id = ++last.current
    setItems((all) => [...all, { id, title, state: 'waiting' }])
    uploads.add(async () => {
      change(id, { state: 'sending' })
      try {
        const answer = await post<Submitted>(path, form())
        if ('duplicate' in answer) change(id, { state: 'duplicate', jobId: String(answer.existing_job_id ?? ''), reason: String(answer.message) })
        else change(id, { state: 'sent', jobId: answer.job_id })
      } catch (err) {
        change(id, { state: 'refused', reason: (err as Error).message })
      }
    })
  }
  /** named reports whether an ontology was chosen, and asks for one otherwise. */
  const named = () => {
    if (ontology.trim()) return true
    toast('Choose an ontology first: a name for the collection that the documents belong to.', true)
    name.current?.focus()
    return false
  }
  const takeFiles = (files: Iterable<File>) => {
    if (!named()) return
    for (const file of files)
      submit(file.name, '/ingest', () => {
        const form = new FormData()
        form.set('ontology', ontology.trim())
        form.set('file', file, file.name)
        return form
      })
  }
  const drop = (e: DragEvent) => {
    e.preventDefault()
    setOver(false)
    takeFiles(e.dataTransfer.files)
  }
  const sendText = (e: FormEvent<HTMLFormElement>) => {
    e.preventDefault()
    if (!named()) return
    const given = new FormData(e.currentTarget)
    const title = String(given.get('filename')).trim() || 'text.md'
    submit(title, '/ingest/text', () => new URLSearchParams({ ontology: ontology.trim(), filename: title, text: String(given.get('text')) }))
    e.currentTarget.reset()
  }
  const sendURL = (e: FormEvent<HTMLFormElement>) => {
    e.preventDefault()
    if (!named()) return
    const url = String(new FormData(e.currentTarget).get('url'))
    submit(url, '/ingest/url', () => new URLSearchParams({ ontology: ontology.trim(), url }))
    e.currentTarget.reset()
  }
  const approveAll = async () => {
    const ids = items.flatMap((i) => (i.state === 'sent' && i.jobId ? [i.jobId] : []))
    try {
      const reply = await post<Schemas['JobActReply']>('/jobs/actions', { act: 'approve', ids })
      toast(`${plural(reply.done, 'job')} approved` + (reply.refused ? `; ${reply.refused} were not awaiting approval` : ''))
    } catch (err) {
      toast((err as Error).message, true)
    }
  }
  const sending = items.filter((i) => i.state === 'waiting' || i.state === 'sending').length
  const sent = items.filter((i) => i.state === 'sent').length

  return (
    <Page title="Ingest">
      <Section title="Documents">
        <label className="wide">
          Ontology
          <input ref={name} list="ontologies" value={ontology} onChange={(e) => setOntology(e.target.value)} maxLength={200} placeholder="The collection that they belong to" />
        </label>
        <datalist id="ontologies">
          {(known.data?.ontologies ?? []).map((o) => (
            <option key={o.ontology} value={o.ontology} />
          ))}
        </datalist>
        <div className={over ? 'drop over' : 'drop'} onDragOver={(e) => (e.preventDefault(), setOver(true))} onDragLeave={() => setOver(false)} onDrop={drop}>
          <p>Drop files here, or</p>
          <label className="button">
            Choose files
            <input type="file" multiple className="hidden" onChange={(e) => (takeFiles(e.target.files ?? []), (e.target.value = ''))} />
          </label>
        </div>
        <details>
          <summary>Paste text</summary>
          <form onSubmit={sendText} className="stack">
            <label>
              Name
              <input name="filename" placeholder="notes.md" />
            </label>
            <label>
              Text
              <textarea name="text" rows={6} required />
            </label>
            <button>Submit the text</button>
          </form>
        </details>
        <details>
          <summary>Give an address</summary>
          <form onSubmit={sendURL} className="stack">
            <label>
              Address
              <input name="url" type="url" required placeholder="https://…" />
            </label>
            <button>Fetch and submit</button>
          </form>
        </details>
      </Section>
      <Section
        title="Submitted here"
        aside={
          <div className="actions">
            {sending > 0 && (
              <>
                <span className="muted">{sending} to send</span>
                <button aria-pressed={held} onClick={() => (uploads.pause(!held), setHeld(!held))}>
                  {held ? 'Resume sending' : 'Pause sending'}
                </button>
              </>
            )}
            {sent > 1 && may('jobs', 'approve') && (
              <button className="primary" onClick={() => void approveAll()}>
                Approve all
              </button>
            )}
          </div>
        }
      >
        {items.length === 0 ? (
          <Empty title="Nothing was submitted on this page yet.">Each document is analysed and priced first; nothing is read before it is approved.</Empty>
        ) : (
          <ul className="rows">
            {items.map((i) => (
              <Row key={i.id} item={i} />
            ))}
          </ul>
        )}
      </Section>
    </Page>
  )
}
