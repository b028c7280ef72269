// What deploy/postgresql/roles.sh is given here. They have what a password may have and an address may not.

export const passwords = { OWNER_PASSWORD: "own'er", APP_PASSWORD: 'app pass' }
