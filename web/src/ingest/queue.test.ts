import { expect, it } from 'vitest'
import { Uploads } from './queue'

const tick = () => new Promise<void>((done) => setTimeout(done))

it('runs so many at a time, in order, and none while it is paused', async () => {
  const uploads = new Uploads(2)
  const begun: number[] = []
  const ends: (() => void)[] = []
  for (let i = 0; i < 5; i++) uploads.add(() => (begun.push(i), new Promise((done) => ends.push(() => done('done')))))
  expect(begun).toEqual([0, 1])
  ends[0]!()
  await tick()
  expect(begun).toEqual([0, 1, 2])
  uploads.pause(true)
  ends[1]!()
  await tick()
  expect(begun).toEqual([0, 1, 2])
  uploads.pause(false)
  expect(begun).toEqual([0, 1, 2, 3])
})

it('waits while the server is away, and then does again what failed, first', async () => {
  const uploads = new Uploads(1)
  const begun: string[] = []
  let away = true
  for (const name of ['a', 'b']) uploads.add(async () => (begun.push(name), name === 'a' && away ? 'again' : 'done'))
  await tick()
  expect(begun).toEqual(['a'])
  away = false
  uploads.back()
  await tick()
  expect(begun).toEqual(['a', 'a', 'b'])
})
