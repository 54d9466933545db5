import { portcullis } from './portcullis.ts'

try {
  await portcullis().parseAsync()
} catch (error) {
  console.error(`portcullis: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = 1
}
