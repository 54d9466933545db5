import { Scene } from './scene.ts'

/**
 * Where every story begins: `anIngressController('edge').on('AWS').scoped('Internal')`, and then `.published()`,
 * `.settle()`, `.snapshot()` or `.decide()`.
 */
export function anIngressController(name = 'edge'): Scene {
  return new Scene(name)
}
