// The fields of every answer of release 0.2.0, whose only currency was naira: by operation, and inside by the place of a
// record. Additions since then stand in `addedFields`, so that a new one is a decision.

type Fields = Record<string, string>

export const releasedFields: Record<string, Fields> = {
  listDeposits: {
    data: 'deposits',
    'data.deposits[]':
      'amount createdAt currency fee id narration recipientAccountName recipientAccountNumber recipientBankName reference senderAccountName senderAccountNumber senderBankName status updatedAt',
    meta: 'pagination',
    'meta.pagination': 'hasNext hasPrev limit page total totalPage',
  },
  getDeposit: {
    data: 'amount createdAt currency fee id narration recipientAccountName recipientAccountNumber recipientBankName reference senderAccountName senderAccountNumber senderBankName status updatedAt',
  },
  validateDeposit: {
    data: 'amount currency exists message reference status valid',
  },
  createCustomer: {
    data: 'bvnVerified createdAt email firstName id lastName metadata phoneNumber reference status updatedAt',
  },
  listCustomers: {
    data: 'customers',
    'data.customers[]':
      'bvnVerified createdAt email firstName id lastName metadata phoneNumber reference status updatedAt',
    meta: 'pagination',
    'meta.pagination': 'hasNext hasPrev limit page total totalPage',
  },
  getCustomer: {
    data: 'bvnVerified createdAt email firstName id lastName metadata phoneNumber reference status updatedAt',
  },
  updateCustomer: {
    data: 'bvnVerified createdAt email firstName id lastName metadata phoneNumber reference status updatedAt',
  },
  openStaticAccount: {
    data: 'accountName accountNumber amount amountPolicy bankName bankSlug createdAt currency customer expiresAt id metadata reference status type updatedAt',
    'data.customer': 'id reference',
  },
  openDynamicAccount: {
    data: 'accountName accountNumber amount amountPolicy bankName bankSlug createdAt currency customer expiresAt id metadata reference status type updatedAt',
  },
  listVirtualAccounts: {
    data: 'virtualAccounts',
    'data.virtualAccounts[]':
      'accountName accountNumber amount amountPolicy bankName bankSlug createdAt currency customer expiresAt id metadata reference status type updatedAt',
    'data.virtualAccounts[].customer': 'id reference',
    meta: 'pagination',
    'meta.pagination': 'hasNext hasPrev limit page total totalPage',
  },
  getVirtualAccount: {
    data: 'accountName accountNumber amount amountPolicy bankName bankSlug createdAt currency customer expiresAt id lastFailure metadata reference status type updatedAt',
  },
  closeVirtualAccount: {
    data: 'accountName accountNumber amount amountPolicy bankName bankSlug createdAt currency customer expiresAt id metadata reference status type updatedAt',
    'data.customer': 'id reference',
  },
  initiateTransfer: {
    data: 'accountName accountNumber amount bankName bankSlug completedAt createdAt currency failureMessage failureReason fee id isFinal metadata narration reference sessionId status totalDebit updatedAt',
    'data.metadata': 'orderId',
  },
  initiateTransfers: {
    data: 'accepted refused replayed results',
    'data.results[]': 'error index outcome reference transfer',
    'data.results[].transfer':
      'accountName accountNumber amount bankName bankSlug completedAt createdAt currency failureMessage failureReason fee id isFinal metadata narration reference sessionId status totalDebit updatedAt',
    'data.results[].error': 'code details message',
    'data.results[].error.details[]': 'field message',
  },
  listTransfers: {
    data: 'transfers',
    'data.transfers[]':
      'accountName accountNumber amount bankName bankSlug completedAt createdAt currency failureMessage failureReason fee id isFinal metadata narration reference sessionId status totalDebit updatedAt',
    'data.transfers[].metadata': 'orderId',
    meta: 'pagination',
    'meta.pagination': 'hasNext hasPrev limit page total totalPage',
  },
  getTransfer: {
    data: 'accountName accountNumber amount bankName bankSlug completedAt createdAt currency failureMessage failureReason fee id isFinal metadata narration reference sessionId status totalDebit updatedAt',
    'data.metadata': 'orderId',
  },
  initiateMomoTransfer: {
    data: 'accountName amount completedAt createdAt currency failureMessage failureReason fee id isFinal metadata narration operator operatorReference phoneNumber reference status totalDebit updatedAt',
  },
  listMomoTransfers: {
    data: 'transfers',
    'data.transfers[]':
      'accountName amount completedAt createdAt currency failureMessage failureReason fee id isFinal metadata narration operator operatorReference phoneNumber reference status totalDebit updatedAt',
    meta: 'pagination',
    'meta.pagination': 'hasNext hasPrev limit page total totalPage',
  },
  getMomoTransfer: {
    data: 'accountName amount completedAt createdAt currency failureMessage failureReason fee id isFinal metadata narration operator operatorReference phoneNumber reference status totalDebit updatedAt',
  },
  initiateMomoCollection: {
    data: 'amount completedAt createdAt currency depositReference expiresAt failureMessage failureReason fee id isFinal metadata narration operator operatorReference otpExpiresAt phoneNumber reference requiresOtp status updatedAt',
  },
  listMomoCollections: {
    data: 'collections',
    'data.collections[]':
      'amount completedAt createdAt currency depositReference expiresAt failureMessage failureReason fee id isFinal metadata narration operator operatorReference otpExpiresAt phoneNumber reference requiresOtp status updatedAt',
    meta: 'pagination',
    'meta.pagination': 'hasNext hasPrev limit page total totalPage',
  },
  verifyCollectionOtp: {
    data: 'amount completedAt createdAt currency depositReference expiresAt failureMessage failureReason fee id isFinal metadata narration operator operatorReference otpExpiresAt phoneNumber reference requiresOtp status updatedAt',
  },
  getMomoCollection: {
    data: 'amount completedAt createdAt currency depositReference expiresAt failureMessage failureReason fee id isFinal metadata narration operator operatorReference otpExpiresAt phoneNumber reference requiresOtp status updatedAt',
  },
  listMomoOperators: {
    data: 'operators',
    'data.operators[]': 'country currency maxAmount minAmount name prefixes requiresOtp slug status supports',
    'data.operators[].supports': 'collection transfer',
  },
  resolvePhoneNumber: {
    data: 'accountName currency operator operatorName phoneNumber',
  },
  listBanks: {
    data: 'banks',
    'data.banks[]': 'active code country currency name nipCode slug type',
  },
  resolveBankAccount: {
    data: 'accountName accountNumber bankCode bankName bankSlug',
  },
  getBalance: {
    data: 'balances',
    'data.balances[]': 'available currency ledger reserved',
  },
  listLedgerEntries: {
    data: 'entries',
    'data.entries[]': 'amount balanceAfter createdAt currency id reference type',
    meta: 'pagination',
    'meta.pagination': 'hasNext hasPrev limit page total totalPage',
  },
  getFee: {
    data: 'amount fee totalDebit',
  },
  createWebhook: {
    data: 'createdAt environment events id secret status updatedAt url',
  },
  listWebhooks: {
    data: 'webhooks',
    'data.webhooks[]':
      'createdAt disabledReason environment events failingSince id oldSecretExpiresAt secretHint status updatedAt url',
    meta: 'pagination',
    'meta.pagination': 'hasNext hasPrev limit page total totalPage',
  },
  getWebhook: {
    data: 'createdAt disabledReason environment events failingSince id oldSecretExpiresAt secretHint status updatedAt url',
  },
  updateWebhook: {
    data: 'createdAt disabledReason environment events failingSince id oldSecretExpiresAt secretHint status updatedAt url',
  },
  deleteWebhook: {
    data: 'deleted id',
  },
  rotateWebhookSecret: {
    data: 'createdAt environment events id oldSecretExpiresAt secret status updatedAt url',
  },
  testWebhook: {
    data: 'attempt createdAt delivered durationMs error eventId responseBody responseCode trigger',
  },
  listWebhookDeliveries: {
    data: 'events',
    'data.events[]':
      'attempts createdAt deliveredAt deliveryAttempts environment event id lastAttemptAt lastError maxAttempts nextAttemptAt reference responseCode status updatedAt url webhookId',
    'data.events[].deliveryAttempts[]': 'attempt createdAt durationMs error responseCode trigger',
    meta: 'pagination',
    'meta.pagination': 'hasNext hasPrev limit page total totalPage',
  },
  getWebhookDelivery: {
    data: 'attempts createdAt deliveredAt deliveryAttempts environment event id lastAttemptAt lastError maxAttempts nextAttemptAt payload reference responseCode status updatedAt url webhookId',
    'data.deliveryAttempts[]': 'attempt createdAt durationMs error responseBody responseCode trigger',
    'data.payload': 'createdAt data environment event id reference timestamp type',
    'data.payload.data':
      'accountName accountNumber amount bankName bankSlug completedAt createdAt currency failureMessage failureReason fee id isFinal metadata narration reference sessionId status totalDebit updatedAt',
    'data.payload.data.metadata': 'orderId',
  },
  retryWebhookDelivery: {
    data: 'attempts createdAt deliveredAt deliveryAttempts environment event id lastAttemptAt lastError maxAttempts nextAttemptAt reference responseCode status updatedAt url webhookId',
    'data.deliveryAttempts[]': 'attempt createdAt durationMs error responseCode trigger',
  },
  retryWebhookDeliveries: {
    data: 'queued',
  },
  simulateDeposit: {
    data: 'amount createdAt currency fee id narration recipientAccountName recipientAccountNumber recipientBankName reference senderAccountName senderAccountNumber senderBankName status updatedAt',
  },
  settleDeposit: {
    data: 'amount createdAt currency fee id narration recipientAccountName recipientAccountNumber recipientBankName reference senderAccountName senderAccountNumber senderBankName status updatedAt',
  },
  completeTransfer: {
    data: 'accountName accountNumber amount bankName bankSlug completedAt createdAt currency failureMessage failureReason fee id isFinal metadata narration reference sessionId status totalDebit updatedAt',
  },
  completeMomoTransfer: {
    data: 'accountName amount completedAt createdAt currency failureMessage failureReason fee id isFinal metadata narration operator operatorReference phoneNumber reference status totalDebit updatedAt',
  },
  completeMomoCollection: {
    data: 'amount completedAt createdAt currency depositReference expiresAt failureMessage failureReason fee id isFinal metadata narration operator operatorReference otpExpiresAt phoneNumber reference requiresOtp status updatedAt',
  },
  triggerWebhookEvent: {
    data: 'event events queued',
    'data.events[]':
      'attempts createdAt deliveredAt deliveryAttempts environment event id lastAttemptAt lastError maxAttempts nextAttemptAt reference responseCode status updatedAt url webhookId',
  },
  fundBalance: {
    data: 'amount available currency',
  },
}

/** Clients of 0.2.0 ignore these. */
export const addedFields: Record<string, Fields> = {
  // Whether the operator allows fractions of its currency, and whether it pays wallets, tills or paybills.
  listMomoOperators: { 'data.operators[]': 'decimals recipient' },
  // The number of a till or paybill, and the account at a paybill. Both are null for wallets.
  initiateMomoTransfer: { data: 'accountNumber accountReference' },
  listMomoTransfers: { 'data.transfers[]': 'accountNumber accountReference' },
  getMomoTransfer: { data: 'accountNumber accountReference' },
  completeMomoTransfer: { data: 'accountNumber accountReference' },
  // The rule that the field breaks.
  initiateTransfers: { 'data.results[].error.details[]': 'code' },
}
