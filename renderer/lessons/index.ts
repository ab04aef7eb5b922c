/** The part of the window that loads when lessons or the glossary are opened. */
export { GlossaryPage } from './GlossaryPage.tsx';
export { LessonCentre } from './LessonCentre.tsx';
export { LessonSide } from './LessonSide.tsx';
export { LessonsPage } from './LessonsPage.tsx';
