import { fieldsOf, pathText } from './fields.ts'

const controllerFields = fieldsOf('IngressController')
export const fieldAt = (path: string) => {
  const found = controllerFields.find((field) => pathText(field.path) === path)
  if (found === undefined) throw new Error(`There is no field ${path}`)
  return found
}
