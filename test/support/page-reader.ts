/** What a person reads on the pages: rows, figures, states. Waits are the test's. */
import type { Locator, Page } from "playwright-core";
import { paths } from "#lib/http/paths.ts";

/** What groups the digits of long numbers. */
const GROUPING = "\u202f";

type Marked = typeof globalThis & { notLoadedAgain?: true };

const oneLine = (text: string): string => text.replaceAll(GROUPING, "").replaceAll(/\s+/g, " ").trim();

export class PageReader {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  /** The row of a topic in the fleet's table. */
  rowOf(clusterId: string, topic: string): Locator {
    const link = this.page.locator(`a[href="${paths.topic(clusterId, topic)}"]`);
    return this.page.getByRole("table", { name: "Topics" }).getByRole("row").filter({ has: link });
  }

  /** In one line: long numbers without gaps, every other kind of space one space. */
  async textOf(locator: Locator): Promise<string> {
    // biome-ignore lint/performance/useDomNodeTextContent: what is read, without what CSS hides
    return oneLine(await locator.innerText());
  }

  async textsOf(locator: Locator): Promise<string[]> {
    return (await locator.allInnerTexts()).map(oneLine);
  }

  /** The figure below a label, in a part of the page. */
  figureText(part: string, label: string): Promise<string> {
    return this.textOf(
      this.page
        .locator(part)
        .locator(`xpath=.//div[normalize-space()="${label}"]/following-sibling::div[contains(@class,"figure")]`)
        .first(),
    );
  }

  /** Its number without what groups the digits; of an estimate only the value. */
  async figure(part: string, label: string): Promise<number> {
    const [value = ""] = (await this.figureText(part, label)).split("±");
    return Number(value.replaceAll(/[^0-9.]/g, ""));
  }

  /** Leaves a mark that a reload would take away. */
  mark(): Promise<void> {
    return this.page.evaluate(() => {
      (globalThis as Marked).notLoadedAgain = true;
    });
  }

  isMarked(): Promise<boolean> {
    return this.page.evaluate(() => (globalThis as Marked).notLoadedAgain === true);
  }
}
