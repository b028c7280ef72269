// The guides beside the API reference, in the order of the menu: what each is called there, by the name of its file.

export const guides = {
  webhooks: 'Webhooks',
  events: 'Events',
  retries: 'Retries',
  errors: 'Errors',
  simulator: 'Simulator',
  'going-live': 'Going live',
  spec: 'Our answers',
}
