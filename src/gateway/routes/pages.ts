import { openApiDocument } from '../openapi/openapi.ts';
import { docsPage } from '../pages/docs-page.ts';
import type { Handles, RouteDeps } from './handlers.ts';

/** The interface describing itself. Both are made when somebody first asks. */
export function pageRoutes({ version }: RouteDeps): Handles<'openapi' | 'docs'> {
  let document: ReturnType<typeof openApiDocument> | undefined;
  let page: ReturnType<typeof docsPage> | undefined;
  const described = () => {
    document ??= openApiDocument(version);
    return document;
  };
  return {
    openapi: () => described(),
    docs: ({ reply }) => {
      page ??= docsPage(described());
      void reply.header('content-security-policy', page.contentSecurityPolicy);
      return page.html;
    },
  };
}
