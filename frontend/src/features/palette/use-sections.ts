import { useQueries } from '@tanstack/react-query'
import { FOUND_KINDS, foundQuery } from '@/api/find'
import { foundSection, pageSection, type Section } from './sections'

/** Pages by name, and whatever the server finds of each kind. */
export function useSections(q: string) {
  return useQueries({
    queries: FOUND_KINDS.map((kind) => foundQuery(kind, q)),
    combine: (results) => {
      const found = results.flatMap(({ data }, index) => {
        const kind = FOUND_KINDS[index]
        return data && kind ? [foundSection(kind, q, data)] : []
      })
      const sections: Section[] = [pageSection(q), ...found]
      return {
        sections: sections.filter((section) => section.entries.length > 0),
        isPending: results.some((result) => result.isLoading),
        failed: results.some((result) => result.isError),
      }
    },
  })
}
