// Chat clients: the packages of OpenAI and of Ollama, against the documents of a server.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Ollama } from 'ollama'
import OpenAI from 'openai'
import { glaciers, rivers } from './sample.js'
import { Server } from './server.js'

let server, key, openAI, ollama

before(async () => {
  server = await Server.start()
  await server.ingest('rivers.md', rivers, 'water')
  await server.ingest('glaciers.md', glaciers, 'ice')
  key = (await server.call('POST', '/auth/keys', { name: 'chat' })).key
  openAI = new OpenAI({ baseURL: server.url + '/v1', apiKey: key, maxRetries: 0 })
  ollama = new Ollama({ host: server.url, headers: { Authorization: 'Bearer ' + key } })
})
after(() => server?.stop())

const ask = (content) => [{ role: 'system', content: 'Answer briefly.' }, { role: 'user', content }]

test('models are the ontologies, in both', async () => {
  const names = []
  for await (const m of openAI.models.list()) names.push(m.id)
  assert.deepEqual(names, ['kappa', 'ice', 'water'])
  assert.equal((await openAI.models.retrieve('ice')).id, 'ice')
  assert.deepEqual((await ollama.list()).models.map((m) => m.name), names)
})

test('OpenAI’s package is answered, whole and in parts, with the same text', async () => {
  const question = { model: 'water', messages: ask('Where does the Rhine rise?') }
  const { choices, citations } = await openAI.chat.completions.create(question)
  const text = choices[0].message.content
  assert.match(text, /\*\*.*Rhine.*\*\*/)
  assert.match(citations[0], new RegExp(`^${server.url}/console/documents/.*bytes=\\d+-\\d+$`))
  let parts = ''
  let usage
  for await (const part of await openAI.chat.completions.create({ ...question, stream: true, stream_options: { include_usage: true } })) {
    parts += part.choices[0]?.delta.content ?? ''
    usage = part.usage ?? usage
  }
  assert.equal(parts, text)
  assert.equal(usage.total_tokens, 0)
})

test('a conversation carries its subject on', async () => {
  const messages = [{ role: 'user', content: 'What is the Rhine?' }, { role: 'assistant', content: 'A river.' }, { role: 'user', content: [{ type: 'text', text: 'and where does it rise?' }] }]
  const { choices } = await openAI.chat.completions.create({ model: 'kappa', messages })
  assert.match(choices[0].message.content, /Carried over from the questions before: “Rhine”/)
})

test('Ollama’s package is answered, whole and in parts', async () => {
  const question = { model: 'ice:latest', messages: ask('What is a glacier?') }
  const whole = await ollama.chat(question)
  assert.match(whole.message.content, /glacier/i)
  assert.equal(whole.done, true)
  let parts = ''
  for await (const part of await ollama.chat({ ...question, stream: true })) parts += part.message.content
  assert.equal(parts, whole.message.content)
})

test('both understand a refusal', async () => {
  const refused = async (act, want) =>
    assert.rejects(act, (err) => {
      for (const [name, value] of Object.entries(want)) assert.ok(String(err[name]).includes(value), `${name}: ${err[name]}`)
      return true
    })
  await refused(() => openAI.chat.completions.create({ model: 'fire', messages: ask('x') }), { status: 404, code: 'model_not_found', message: 'There is no model "fire"' })
  await refused(() => openAI.chat.completions.create({ model: 'ice', messages: [] }), { status: 422, message: 'the last one must be of the role user' })
  await refused(() => new OpenAI({ baseURL: server.url + '/v1', apiKey: 'nobody', maxRetries: 0 }).models.list(), { status: 401, code: 'invalid_api_key' })
  await refused(() => ollama.chat({ model: 'fire', messages: ask('x') }), { status_code: 404, message: 'There is no model "fire"' })
})
