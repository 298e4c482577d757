/** A choice of one value or of all, in a form of filters. */
export function Choice({
  form,
  name,
  title,
  allOption,
  value,
  options,
}: {
  /** The id of its form, if that is elsewhere. */
  form?: string
  name: string
  title: string
  allOption: string
  value: string | undefined
  options: readonly (readonly [value: string, name: string])[]
}) {
  return (
    <label>
      <span>{title}</span>
      <select form={form} name={name}>
        <option value="">{allOption}</option>
        {options.map(([optionValue, text]) => (
          <option value={optionValue} selected={optionValue === value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  )
}
