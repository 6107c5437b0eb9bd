import { act, renderHook } from '@testing-library/react'
import { expect, test } from 'vitest'
import { forgetDrafts, useDraft } from '../src'

const EMPTY = { text: '', source: '' }
const open = (name?: string) => renderHook(() => useDraft(name, EMPTY)).result
const enter = (name: string | undefined, text: string) => {
  const form = open(name)
  act(() => form.current[1]({ text, source: '' }))
}

test('restores a draft when its form is opened again', () => {
  enter('ana:form', 'half a')
  expect(open('ana:form').current[0]).toEqual({ text: 'half a', source: '' })
  expect(open('bo:form').current[0]).toEqual(EMPTY)
  expect(open('ana:other').current[0]).toEqual(EMPTY)
  forgetDrafts()
  expect(open('ana:form').current[0]).toEqual(EMPTY)
})

test('deletes the draft of a form that is set to its initial value, also after unmounting', () => {
  const { result, unmount } = renderHook(() => useDraft('ana:form', EMPTY))
  act(() => result.current[1]({ text: 'sent', source: '' }))
  unmount()
  result.current[1](now => (now.text === 'other' ? EMPTY : now))
  expect(open('ana:form').current[0].text).toBe('sent')
  result.current[1](now => (now.text === 'sent' ? EMPTY : now))
  expect(sessionStorage.length).toBe(0)
})

test('starts with the initial value if the form has no name or the stored draft is invalid', () => {
  enter(undefined, 'secret')
  expect(sessionStorage.length).toBe(0)
  for (const stored of ['null', '{', '[1', '7']) {
    sessionStorage.setItem('iodine:draft:ana:form', stored)
    expect(open('ana:form').current[0]).toEqual(EMPTY)
  }
  forgetDrafts()
})
