import { api, unwrap } from './client'
import { changeHeaders } from './commands'
import type { StripeCreate, VirtualDrive } from './types'

/** Stripes are told by their members, and addressed by one of them. */
export const stripeChanges = {
  create: (firstId: string, body: StripeCreate) =>
    unwrap(
      api.POST('/api/v1/virtual-drives/{virtual_drive_id}/actions/create-stripe', {
        params: { path: { virtual_drive_id: firstId }, header: changeHeaders() },
        body,
      }),
    ),
  remove: (member: VirtualDrive, confirm: string, force: boolean) =>
    unwrap(
      api.POST('/api/v1/virtual-drives/{virtual_drive_id}/actions/delete-stripe', {
        params: { path: { virtual_drive_id: member.id }, header: changeHeaders(member) },
        body: { confirm, force },
      }),
    ),
}
