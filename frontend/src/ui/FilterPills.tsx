import classes from './FilterPills.module.css'

interface FilterPillsProps<W extends string> {
  label: string
  options: { value: W; label: string; count?: number | undefined }[]
  value: W
  onChange: (value: W) => void
}

/** One of a few filters; a group of toggle buttons that each say whether they are on. */
export function FilterPills<W extends string>(props: FilterPillsProps<W>) {
  return (
    <fieldset className={classes.group}>
      <legend className={classes.legend}>{props.label}</legend>
      {props.options.map((option) => (
        <button
          key={option.value}
          type="button"
          className={classes.pill}
          aria-pressed={option.value === props.value}
          onClick={() => props.onChange(option.value)}
        >
          {option.label}
          {option.count !== undefined && <span className={classes.count}>{option.count}</span>}
        </button>
      ))}
    </fieldset>
  )
}
