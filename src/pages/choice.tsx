/** A choice of one value or of all, in a form of filters. */
export function Choice({
  name,
  title,
  all,
  value,
  options,
}: {
  name: string
  title: string
  all: string
  value: string | undefined
  options: readonly (readonly [value: string, name: string])[]
}) {
  return (
    <label>
      <span>{title}</span>
      <select name={name}>
        <option value="">{all}</option>
        {options.map(([one, text]) => (
          <option value={one} selected={one === value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  )
}
