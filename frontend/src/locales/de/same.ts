/** The shape of the English texts: a text that is missing or too many does not compile. */
export type Same<Texts> = {
  readonly [Key in keyof Texts]: Texts[Key] extends string ? string : Same<Texts[Key]>
}
