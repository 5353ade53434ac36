import classes from './FilterPills.module.css'

interface TogglePillsProps<W extends string> {
  label: string
  options: { value: W; label: string }[]
  values: readonly W[]
  /** Otherwise the last one stays. */
  mayBeEmpty?: boolean
  onChange: (values: W[]) => void
}

/** Some of a few: a group of toggle buttons, in the order of the options. */
export function TogglePills<W extends string>(props: TogglePillsProps<W>) {
  const toggle = (value: W) => {
    const values = props.options
      .map((option) => option.value)
      .filter((each) => (each === value) !== props.values.includes(each))
    if (values.length > 0 || props.mayBeEmpty) props.onChange(values)
  }
  return (
    <fieldset className={classes.group}>
      <legend className={classes.heading}>{props.label}</legend>
      {props.options.map((option) => (
        <button
          key={option.value}
          type="button"
          className={classes.pill}
          aria-pressed={props.values.includes(option.value)}
          onClick={() => toggle(option.value)}
        >
          {option.label}
        </button>
      ))}
    </fieldset>
  )
}
