import classes from './Logo.module.css'

export function Logo({ size = 26, withName = true }: { size?: number; withName?: boolean }) {
  return (
    <span className={classes.logo}>
      <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
        <rect width="32" height="32" rx="7" fill="#0b5f6b" />
        <g fill="#fff">
          <rect x="6" y="7" width="20" height="4.6" rx="1.6" />
          <rect x="6" y="13.7" width="20" height="4.6" rx="1.6" opacity="0.8" />
          <rect x="6" y="20.4" width="12" height="4.6" rx="1.6" opacity="0.6" />
        </g>
        <circle cx="23.6" cy="22.7" r="2.3" fill="#ffc24b" />
      </svg>
      {withName && <span className={classes.name}>Arraywright</span>}
    </span>
  )
}
