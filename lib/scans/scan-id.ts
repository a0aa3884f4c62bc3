/** Whether the text can be a scan's id at all; Postgres refuses to compare anything else with one. */
export const isScanId = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
