// Runs a kg serve of its own, on a private PostgreSQL and a free port, for the tests and the screenshots.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

export const password = 'correct horse battery'
const kg = process.env.KG ?? fileURLToPath(new URL('../../bin/kg', import.meta.url))

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address()
  probe.close()
  await once(probe, 'close')
  return port
}

/** Server is a kg serve that can be killed and started again on the same port and data. */
export class Server {
  static async start() {
    const s = new Server()
    s.dir = mkdtempSync(join(tmpdir(), 'kg-web-'))
    s.port = await freePort()
    s.url = `http://127.0.0.1:${s.port}`
    await s.run()
    return s
  }

  async run() {
    this.output = ''
    this.process = spawn(kg, ['serve'], {
      env: { ...process.env, KG_DATA_DIR: join(this.dir, 'data'), XDG_CONFIG_HOME: join(this.dir, 'config'), KG_ADDR: `127.0.0.1:${this.port}`, KG_ADMIN_PASSWORD: password, KG_TEST_TYPES: '1' },
    })
    for (const stream of [this.process.stdout, this.process.stderr]) stream.on('data', (text) => (this.output = (this.output + text).slice(-20_000)))
    for (let i = 0; i < 600; i++) {
      if (this.process.exitCode !== null) break
      if ((await fetch(this.url + '/readyz').catch(() => ({ ok: false }))).ok) return
      await pause(200)
    }
    throw new Error('kg serve is not ready:\n' + this.output)
  }

  async kill(signal = 'SIGKILL') {
    if (this.process.exitCode === null && this.process.signalCode === null) {
      this.process.kill(signal)
      await once(this.process, 'exit')
    }
  }

  /** stop ends the server, and removes its data. */
  async stop() {
    await this.kill('SIGTERM')
    rmSync(this.dir, { recursive: true, force: true })
  }

  /** token returns a bearer token of a client of an account. */
  async token(username = 'admin', secret = password) {
    const form = (values) => ({ method: 'POST', body: new URLSearchParams(values) })
    const client = await (await fetch(this.url + '/auth/oauth/clients/personal', form({ username, password: secret }))).json()
    const token = await (await fetch(this.url + '/auth/oauth/token', form({ grant_type: 'client_credentials', client_id: client.client_id, client_secret: client.client_secret }))).json()
    return token.access_token
  }

  /** call calls a route of the API, as a program would. */
  async call(method, path, body) {
    this.bearer ??= await this.token()
    const headers = { Authorization: 'Bearer ' + this.bearer }
    if (body && !(body instanceof FormData)) headers['Content-Type'] = 'application/json'
    const resp = await fetch(this.url + path, { method, headers, body: body instanceof FormData ? body : JSON.stringify(body) })
    const text = await resp.text()
    if (!resp.ok) throw new Error(`${method} ${path}: ${resp.status} ${text}`)
    return text && JSON.parse(text)
  }

  /** until waits for a job to have a status, and returns it. */
  async until(id, status) {
    for (let i = 0; i < 600; i++) {
      const job = await this.call('GET', '/jobs/' + id)
      if (job.status === status) return job
      if (['completed', 'failed', 'cancelled'].includes(job.status)) throw new Error(`${id} is ${job.status}: ${job.error}`)
      await pause(100)
    }
    throw new Error(`${id} did not become ${status}`)
  }

  /** ingest submits a text as a file, has it approved, and waits for its end. */
  async ingest(name, text, ontology) {
    const form = new FormData()
    form.set('ontology', ontology)
    form.set('auto_approve', 'true')
    form.set('file', new Blob([text]), name)
    const { job_id } = await this.call('POST', '/ingest', form)
    return this.until(job_id, 'completed')
  }
}
