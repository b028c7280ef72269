// Passwords for deploy/postgresql/roles.sh, with characters that a password may have and an address may not.

export const passwords = { OWNER_PASSWORD: "own'er", APP_PASSWORD: 'app pass' }
