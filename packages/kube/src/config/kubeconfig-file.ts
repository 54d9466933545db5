import { LineCounter, parseDocument } from 'yaml'
import { type ConfigLocation, KubeconfigError, Problems } from './kubeconfig-error.ts'
import { Fields, isMapping, type Mapping, typeInWords } from './kubeconfig-fields.ts'

/** One named cluster, user or context, with the place that it was read from. Its fields are not yet looked at. */
export interface Entry {
  readonly name: string
  readonly location: ConfigLocation
  readonly values: Mapping
}

/** One kubeconfig file whose outline is sound: lists are lists, and every entry has a name of its own. */
export interface KubeconfigFile {
  readonly path: string
  readonly currentContext: string | undefined
  readonly clusters: ReadonlyMap<string, Entry>
  readonly users: ReadonlyMap<string, Entry>
  readonly contexts: ReadonlyMap<string, Entry>
}

/**
 * Only the outline is checked here. What an entry holds is checked when it is used, so that a broken user does not
 * keep anyone from another cluster.
 */
export function parseKubeconfigFile(path: string, text: string): KubeconfigFile {
  const problems = new Problems()
  const fields = new Fields({ source: path }, parseMapping(path, text), problems)
  checkKind(fields)
  const file = {
    path,
    currentContext: fields.text('current-context'),
    clusters: readEntries(fields, { list: 'clusters', each: 'cluster' }, problems),
    users: readEntries(fields, { list: 'users', each: 'user' }, problems),
    contexts: readEntries(fields, { list: 'contexts', each: 'context' }, problems),
  }
  problems.throwIfAny()
  return file
}

function parseMapping(path: string, text: string): Mapping {
  const root = parseYaml(path, text) ?? {}
  if (isMapping(root)) return root
  throw new KubeconfigError([
    `${path}: is not a kubeconfig: it must be a mapping with clusters, users and contexts, but is ${typeInWords(root)}`,
  ])
}

function parseYaml(path: string, text: string): unknown {
  const lines = new LineCounter()
  // Pretty errors would quote the offending lines, and those may hold secrets.
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    merge: true,
    logLevel: 'error',
  })
  const [error] = document.errors
  if (error !== undefined) {
    const { line, col } = lines.linePos(error.pos[0])
    throw new KubeconfigError([
      `${path}: line ${line}, column ${col}: is not valid YAML: ${withoutQuotedSource(error.message)}`,
    ])
  }
  try {
    return document.toJS()
  } catch (error) {
    throw new KubeconfigError([
      `${path}: is not valid YAML: ${withoutQuotedSource((error as Error).message)}`,
    ])
  }
}

/** The parser appends the text it stumbled over (`Unexpected scalar token: "s3cret"`); only what comes before is shown. */
function withoutQuotedSource(message: string): string {
  return message.split(/(?<=[\w)]): |\\/)[0]?.trim() ?? ''
}

function checkKind(fields: Fields): void {
  const kind = fields.text('kind')
  const apiVersion = fields.text('apiVersion')
  if (kind !== undefined && kind !== 'Config') {
    fields.problem('kind', `is "${kind}", but a kubeconfig is a "Config"; name another file`)
  }
  if (apiVersion !== undefined && apiVersion !== 'v1') {
    fields.problem('apiVersion', `is "${apiVersion}", but only "v1" is known`)
  }
}

function readEntries(
  file: Fields,
  { list, each }: { list: string; each: string },
  problems: Problems,
): Map<string, Entry> {
  const entries = new Map<string, Entry>()
  for (const item of file.mappings(list)) {
    const name = item.text('name')
    if (name === undefined) {
      // A name of the wrong type has been reported as that.
      if (!item.raw('name')) item.problem('name', `is missing; every ${each} needs one`)
      continue
    }
    if (entries.has(name)) {
      item.problem('name', `"${name}" is the name of another ${each} in this file; rename one of the two`)
      continue
    }
    const body = item.raw(each) ?? {}
    if (isMapping(body)) {
      entries.set(name, { name, values: body, location: { ...item.at(each), owner: `${each} "${name}"` } })
    } else {
      problems.add(
        { ...item.at(each), owner: `${each} "${name}"` },
        `must be a mapping, but is ${typeInWords(body)}`,
      )
    }
  }
  return entries
}
