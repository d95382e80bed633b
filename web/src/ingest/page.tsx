import { useQuery } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useRef, useState, type DragEvent, type FormEvent } from 'react'
import { get, post, Problem, request, type Schemas } from '../api/client'
import { useLive } from '../live/live'
import { useMay } from '../signin/session'
import { plural } from '../ui/format'
import { Empty, Page, Section } from '../ui/page'
import { toast } from '../ui/toast'
import { chosen, filesOf, type Dropped } from './folder'
import { Uploads } from './queue'
import { Row, type Item } from './row'

type Submitted = Schemas['SubmittedAnswer'] | Schemas['DuplicateAnswer']

const retryWait = 3_000 // ms after which a server that was away is asked again, when nothing is heard of it
const together = 500 // jobs that the server acts on at once

/** newKey returns a key that has the server take a request once, however often it is sent. */
const newKey = () => Array.from(crypto.getRandomValues(new Uint32Array(4)), (n) => n.toString(36)).join('-')

/** IngestPage takes files, text and addresses, shows what each would cost, and follows those that are approved. */
export default function IngestPage() {
  const may = useMay()
  const [items, setItems] = useState<Item[]>([])
  const [ontology, setOntology] = useState('')
  const [over, setOver] = useState(false)
  const [held, setHeld] = useState(false)
  const [selected, setSelected] = useState<ReadonlySet<number>>(new Set())
  const uploads = useMemo(() => new Uploads(), [])
  const name = useRef<HTMLInputElement>(null)
  const last = useRef(0)
  const known = useQuery({ queryKey: ['ontologies'], queryFn: ({ signal }) => get<Schemas['OntologyList']>('/ontology/', signal), enabled: may('ontologies', 'read') })

  const { state } = useLive()
  useEffect(() => {
    if (state === 'live') uploads.back()
  }, [state, uploads])

  const change = (id: number, part: Partial<Item>) => setItems((all) => all.map((i) => (i.id === id ? { ...i, ...part } : i)))
  /** submit adds items, and sends each when its turn comes; whatever is lost on the way is sent once more, and taken once. */
  const submit = (path: string, given: { title: string; form: () => FormData | URLSearchParams }[]) => {
    const added = given.map((g) => ({ ...g, id: ++last.current, once: { 'Idempotency-Key': newKey() } }))
    setItems((all) => [...all, ...added.map(({ id, title }): Item => ({ id, title, state: 'waiting' }))])
    for (const { id, form, once } of added)
      uploads.add(async () => {
        change(id, { state: 'sending' })
        try {
          const { body } = await request<Submitted>('POST', path, form(), undefined, once)
          if ('duplicate' in body) change(id, { state: 'duplicate', jobId: String(body.existing_job_id ?? ''), reason: String(body.message) })
          else change(id, { state: 'sent', jobId: body.job_id })
        } catch (err) {
          if (err instanceof Problem && (err.status === 0 || err.status === 503)) {
            change(id, { state: 'waiting' })
            setTimeout(() => uploads.back(), retryWait)
            return 'again'
          }
          change(id, { state: 'refused', reason: (err as Error).message })
        }
        return 'done'
      })
  }
  /** named reports whether an ontology was chosen, and asks for one otherwise. */
  const named = () => {
    if (ontology.trim()) return true
    toast('Choose an ontology first: a name for the collection that the documents belong to.', true)
    name.current?.focus()
    return false
  }
  const takeFiles = (files: Dropped[]) => {
    if (files.length === 0 || !named()) return
    const to = ontology.trim()
    submit('/ingest', files.map(({ file, path }) => ({
      title: path,
      form: () => {
        const form = new FormData()
        form.set('ontology', to)
        form.set('file', file, file.name)
        return form
      },
    })))
  }
  const drop = (e: DragEvent) => {
    e.preventDefault()
    setOver(false)
    filesOf(e.dataTransfer.items).then(takeFiles, (err: Error) => toast('The folder could not be read: ' + err.message, true))
  }
  const sendText = (e: FormEvent<HTMLFormElement>) => {
    e.preventDefault()
    if (!named()) return
    const given = new FormData(e.currentTarget)
    const title = String(given.get('filename')).trim() || 'text.md'
    const body = new URLSearchParams({ ontology: ontology.trim(), filename: title, text: String(given.get('text')) })
    submit('/ingest/text', [{ title, form: () => body }])
    e.currentTarget.reset()
  }
  const sendURL = (e: FormEvent<HTMLFormElement>) => {
    e.preventDefault()
    if (!named()) return
    const url = String(new FormData(e.currentTarget).get('url'))
    const body = new URLSearchParams({ ontology: ontology.trim(), url })
    submit('/ingest/url', [{ title: url, form: () => body }])
    e.currentTarget.reset()
  }
  const select = useCallback((id: number) => setSelected((now) => (now.has(id) ? new Set([...now].filter((other) => other !== id)) : new Set([...now, id]))), [])
  const bulk = async (act: 'approve' | 'cancel', chosen: Item[]) => {
    const ids = chosen.flatMap((i) => (i.state === 'sent' && i.jobId ? [i.jobId] : []))
    try {
      let [done, refused] = [0, 0]
      for (let i = 0; i < ids.length; i += together) {
        const reply = await post<Schemas['JobActReply']>('/jobs/actions', { act, ids: ids.slice(i, i + together) })
        done += reply.done
        refused += reply.refused
      }
      toast(`${plural(done, 'job')} ${act === 'approve' ? 'approved' : 'cancelled'}` + (refused ? `; ${refused} were ${act === 'approve' ? 'not awaiting approval' : 'over already'}` : ''))
      setSelected(new Set())
    } catch (err) {
      toast((err as Error).message, true)
    }
  }
  const sending = items.filter((i) => i.state === 'waiting' || i.state === 'sending').length
  const sent = items.filter((i) => i.state === 'sent')
  const refused = items.filter((i) => i.state === 'refused').length
  const chosenItems = sent.filter((i) => selected.has(i.id))

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
          <p>Drop files or a folder here, or</p>
          <label className="button">
            Choose files
            <input type="file" multiple className="hidden" onChange={(e) => (takeFiles(chosen(e.target.files ?? [])), (e.target.value = ''))} />
          </label>{' '}
          <label className="button">
            Choose a folder
            <input type="file" ref={(el) => el?.setAttribute('webkitdirectory', '')} className="hidden" onChange={(e) => (takeFiles(chosen(e.target.files ?? [])), (e.target.value = ''))} />
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
            {refused > 0 && <span className="error">{refused} refused</span>}
            {chosenItems.length > 0 && may('jobs', 'approve') && <button className="primary" onClick={() => void bulk('approve', chosenItems)}>Approve {plural(chosenItems.length, 'selected document')}</button>}
            {chosenItems.length > 0 && may('jobs', 'cancel') && <button onClick={() => void bulk('cancel', chosenItems)}>Cancel {plural(chosenItems.length, 'selected document')}</button>}
            {sent.length > 1 && chosenItems.length === 0 && may('jobs', 'approve') && (
              <button className="primary" onClick={() => void bulk('approve', sent)}>
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
              <Row key={i.id} item={i} selected={selected.has(i.id)} select={select} />
            ))}
          </ul>
        )}
      </Section>
    </Page>
  )
}
