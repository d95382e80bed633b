import { expect, it } from 'vitest'
import { Uploads } from './queue'

const tick = () => new Promise<void>((done) => setTimeout(done))

it('runs so many at a time, in order, and none while it is paused', async () => {
  const uploads = new Uploads(2)
  const begun: number[] = []
  const ends: (() => void)[] = []
  for (let i = 0; i < 5; i++) uploads.add(() => (begun.push(i), new Promise<void>((done) => ends.push(done))))
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
