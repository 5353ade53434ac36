import type { Operation } from '@/api/types'
import { OperationItem } from './OperationItem'
import classes from './OperationItem.module.css'

interface OperationsListProps {
  operations: Operation[]
  /** What is said when there are none. */
  empty?: string
  withHost?: boolean
}

export function OperationsList({ operations, empty, withHost = false }: OperationsListProps) {
  if (operations.length === 0) return empty ? <p>{empty}</p> : null
  return (
    <ul className={classes.list}>
      {operations.map((operation) => (
        <OperationItem key={operation.id} operation={operation} withHost={withHost} />
      ))}
    </ul>
  )
}
