// Secrets that we make and the browser or a person keeps. Only their SHA-256 is in the database: nobody guesses 80 random bits
// and more, so no slow hash is needed.

import { randomBytes } from 'node:crypto'
import { sha256 } from '#base/secret.ts'

export type Token = { text: string; hash: Buffer }

/** For a cookie or a link: 32 random bytes. */
export function newToken(): Token {
  const text = randomBytes(32).toString('base64url')
  return { text, hash: hashOfToken(text) }
}

export function hashOfToken(unchecked: string): Buffer {
  return sha256(unchecked)
}

/** Without those that look alike. */
const letters = '0123456789abcdefghjkmnpqrstvwxyz'
const recoveryCodes = 10

/** To be written down: sixteen characters of five bits, in groups of four. */
export function newRecoveryCodes(): Token[] {
  return Array.from({ length: recoveryCodes }, () => {
    const characters = [...randomBytes(16)].map((byte) => letters.charAt(byte & 0x1f)).join('')
    return { text: characters.replaceAll(/(.{4})(?=.)/g, '$1-'), hash: hashOfRecoveryCode(characters) }
  })
}

/** However it was typed: with or without hyphens and spaces, in small letters or capitals. */
export function hashOfRecoveryCode(unchecked: string): Buffer {
  return sha256(unchecked.toLowerCase().replaceAll(/[^0-9a-z]/g, ''))
}
