// What a CSS module is to TypeScript: class names by the names that the file gives them. tests/dashboard/styles.test.ts
// holds the code to the names that there are.

declare module '*.module.css' {
  const styles: Readonly<Record<string, string>>
  export { styles as default }
}

declare module '*.css'
