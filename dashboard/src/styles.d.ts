// The type of a CSS module: class names by their names in the file. tests/dashboard/styles.test.ts checks that the
// names exist.

declare module '*.module.css' {
  const styles: Readonly<Record<string, string>>
  export { styles as default }
}

declare module '*.css'
