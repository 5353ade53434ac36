import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startLanguage } from './i18n'
import { fieldMessage, problemDetail } from './problem'
import { alertTitle, eventText, levelText, reasonText, sentence } from './told'

const busy = {
  code: 'busy',
  params: { key: '/c0/v0', operation: 'reading its label' },
  text: '/c0/v0 is busy with reading its label. Wait for it or stop it first.',
}

const problem = {
  type: '',
  title: 'Conflict',
  status: 409,
  code: 'name_taken',
  detail: 'The user name mia is taken.',
  params: { name: 'mia' },
}

describe('what is told', () => {
  it('is the sentence that came, in English', () => {
    expect(reasonText(busy)).toBe(busy.text)
    expect(problemDetail(problem)).toBe(problem.detail)
    expect(sentence('Any 2 drives may fail.')).toBe('Any 2 drives may fail.')
  })
})

describe('what is told in German', () => {
  beforeAll(async () => {
    await startLanguage('de')
  })
  afterAll(async () => {
    await startLanguage('en')
  })

  it('is said by code and parameters', () => {
    expect(reasonText(busy)).toBe(
      '/c0/v0 ist beschäftigt: Lesen des Labels. Warten Sie, oder stoppen Sie das zuerst.',
    )
    expect(alertTitle({ rule: 'drive_failed', title: 'Drive failed' })).toBe('Laufwerk ausgefallen')
    expect(levelText({ level: 'raid0', description: '' })).toContain('kein Laufwerk darf ausfallen')
    expect(sentence('Any 2 drives may fail.')).toBe('2 beliebige Laufwerke dürfen ausfallen.')
  })

  it('says what is inside a parameter too', () => {
    const params = {
      drive: '252:3',
      old: 'Onln',
      new: 'Failed',
      why: 'The drive did not answer in time.',
    }
    expect(eventText({ name: 'drive_state_changed', params, text: '' })).toBe(
      'Zustand von 252:3 wechselt von Online zu Ausgefallen: Das Laufwerk hat nicht rechtzeitig geantwortet.',
    )
    const places = { name: 'data', places: '252:3, serial X 1 and 3 more' }
    expect(reasonText({ code: 'finding_virtual_drive_degraded', params: places, text: '' })).toBe(
      'Das virtuelle Laufwerk „data“ ist degradiert. Nicht synchron: 252:3, Seriennummer X 1 und 3 weitere.',
    )
  })

  it('keeps the stops of a sentence within a sentence', () => {
    const why = '/dev/sdb is mounted on /srv'
    expect(reasonText({ code: 'drive_in_use', params: { drive: '252:1', why }, text: '' })).toBe(
      'Laufwerk 252:1 ist nicht verwendbar: /dev/sdb ist auf /srv eingehängt.',
    )
  })

  it('leaves names alone, and writes sizes as Germans do', () => {
    const params = { virtual_drive: 'off', bytes: '1250000' }
    expect(eventText({ name: 'virtual_drive_trusted', params, text: '' })).toBe(
      'Ein Benutzer hat die zweifelhaften Daten von off geprüft: 1,25 MB gelten als richtig',
    )
  })

  it('is as it came where a code or a parameter is not known', () => {
    const text = 'A newer agent says so.'
    expect(reasonText({ code: 'of_tomorrow', params: {}, text })).toBe(text)
    expect(reasonText({ code: 'busy', params: { key: '/c0' }, text })).toBe(text)
  })

  it('says a problem by its code, and a field by what is wrong with it', () => {
    expect(problemDetail(problem)).toBe('Der Name „mia“ ist schon vergeben.')
    expect(problemDetail({ ...problem, code: 'of_tomorrow' })).toContain('of_tomorrow')
    expect(fieldMessage({ message: 'String should have at least 10 characters' })).toBe(
      'Mindestens 10 Zeichen.',
    )
    expect(fieldMessage({ message: 'is odd' })).toBe('Dieser Wert wird nicht angenommen.')
  })
})
