// The type of a CSS module: maps each class name in the file to the generated class name.
// tests/dashboard/styles.test.ts checks that the names exist.

declare module '*.module.css' {
  const styles: Readonly<Record<string, string>>
  export { styles as default }
}

declare module '*.css'
