import { portcullis } from './portcullis.ts'

await portcullis().parseAsync()
